/** The fixture server's tools: each is what one of the suite's scenarios calls. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ContentBlock,
  ElicitRequestFormParams,
  ServerNotification,
  ServerRequest,
  Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { audio, embedded, image, text } from './offered.ts';

interface Call {
  readonly server: Server;
  readonly values: Readonly<Record<string, unknown>>;
  readonly extra: RequestHandlerExtra<ServerRequest, ServerNotification>;
}

interface FixtureTool {
  readonly description: string;
  /** Absent: any object. */
  readonly inputSchema?: Tool['inputSchema'];
  readonly call: (call: Call) => Promise<CallToolResult>;
}

function says(description: string, ...content: ContentBlock[]): FixtureTool {
  return { description, call: () => Promise.resolve({ content }) };
}

function takesText(name: string): Tool['inputSchema'] {
  return { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] };
}

type Properties = ElicitRequestFormParams['requestedSchema']['properties'];

/** Asks the client's person, and tells what was answered. */
async function elicit(
  { server }: Call,
  message: string,
  properties: Properties,
  required: string[] = [],
): Promise<CallToolResult> {
  const { action, content = {} } = await server.elicitInput({
    message,
    requestedSchema: { type: 'object', properties, required },
  });
  return { content: [text(`action=${action}, content=${JSON.stringify(content)}`)] };
}

const options = ['option1', 'option2', 'option3'];
const choices = [1, 2, 3].map((n) => ({ const: `value${n}`, title: `Choice ${n}` }));

export const tools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: says('One text', text('This is a simple text response for testing.')),
  test_image_content: says('An image', image),
  test_audio_content: says('A sound', audio),
  test_embedded_resource: says(
    'A resource in the result',
    embedded('test://embedded-resource', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: says(
    'Text, image and resource',
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
  ),
  test_error_handling: {
    description: 'Fails',
    call: () =>
      Promise.resolve({
        isError: true,
        content: [text('This tool intentionally returns an error for testing')],
      }),
  },
  test_tool_with_logging: {
    description: 'Logs three lines on its way',
    call: async ({ server }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await server.sendLoggingMessage({ level: 'info', data });
        await nextTurn();
      }
      return { content: [text('logged')] };
    },
  },
  test_tool_with_progress: {
    description: 'Tells its progress three times',
    call: async ({ extra }) => {
      const progressToken = extra._meta?.progressToken ?? 0;
      for (const progress of [0, 50, 100]) {
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
        await nextTurn();
      }
      return { content: [text(String(progressToken))] };
    },
  },
  test_sampling: {
    description: 'Asks the client’s model',
    inputSchema: takesText('prompt'),
    call: async ({ server, values }) => {
      const { content } = await server.createMessage({
        messages: [{ role: 'user', content: text(String(values['prompt'])) }],
        maxTokens: 100,
      });
      return { content: [text(`LLM response: ${content.type === 'text' ? content.text : content.type}`)] };
    },
  },
  test_elicitation: {
    description: 'Asks the client’s person',
    inputSchema: takesText('message'),
    call: (call) =>
      elicit(
        call,
        String(call.values['message']),
        { username: { type: 'string' }, email: { type: 'string' } },
        ['username', 'email'],
      ),
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks with a default of every kind',
    call: (call) =>
      elicit(call, 'Please look over these defaults', {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks with a choice of every kind',
    call: (call) =>
      elicit(call, 'Please choose', {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: choices },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: choices } },
      }),
  },
  json_schema_2020_12_tool: {
    description: 'Its schema uses $schema, $defs and additionalProperties',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    call: ({ values }) => Promise.resolve({ content: [text(JSON.stringify(values))] }),
  },
};
