/** A stdio server that offers what the official conformance suite looks for, built on the SDK's own server. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { prompts, readResource, resources, templates } from './offered.ts';
import { tools } from './tools.ts';

const server = new Server(
  { name: 'conformance-fixture', version: '1.0.0' },
  { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} } },
);

function named<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = table[name];
  if (found === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no ${name}`);
  return found;
}

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema: inputSchema ?? { type: 'object' },
  })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
  named(tools, params.name).call({ server, values: params.arguments ?? {}, extra }),
);
server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }));
server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: templates }));
server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
  const content = readResource(uri);
  if (content === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no ${uri}`);
  return { contents: [content] };
});
server.setRequestHandler(SubscribeRequestSchema, () => ({}));
server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
server.setRequestHandler(ListPromptsRequestSchema, () => ({
  prompts: Object.entries(prompts).map(([name, { description, takes = [] }]) => ({
    name,
    description,
    arguments: takes.map((argument) => ({ name: argument, description: argument, required: true })),
  })),
}));
server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
  messages: named(prompts, params.name)
    .say(params.arguments ?? {})
    .map((content) => ({ role: 'user' as const, content })),
}));
server.setRequestHandler(CompleteRequestSchema, () => ({
  completion: { values: [], total: 0, hasMore: false },
}));

// The SDK's transport does not end with its input.
process.stdin.on('end', () => process.exit());
await server.connect(new StdioServerTransport());
