/** What the fixture server holds besides tools: the names, addresses and texts that the suite looks for. */
import type {
  ContentBlock,
  Resource,
  ResourceTemplate,
  TextContent,
} from '@modelcontextprotocol/sdk/types.js';

/** One red pixel. */
export const image: ContentBlock = {
  type: 'image',
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};

/** A header and no sample. */
export const audio: ContentBlock = {
  type: 'audio',
  mimeType: 'audio/wav',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=',
};

export function text(value: string): TextContent {
  return { type: 'text', text: value };
}

export function embedded(uri: string, value: string, mimeType = 'text/plain'): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text: value } };
}

type Content = { readonly uri: string; readonly mimeType: string } & ({ text: string } | { blob: string });

const contents: readonly Content[] = [
  {
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  { uri: 'test://static-binary', mimeType: 'image/png', blob: image.data },
  { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Content that may change' },
];

export const resources: Resource[] = contents.map(({ uri, mimeType }) => ({
  uri,
  mimeType,
  name: uri.slice('test://'.length),
  description: `The resource ${uri}`,
}));

export const templates: ResourceTemplate[] = [
  { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
];

export function readResource(uri: string): Content | undefined {
  const id = /^test:\/\/template\/([^/]+)\/data$/u.exec(uri)?.[1];
  if (id === undefined) return contents.find((content) => content.uri === uri);
  return {
    uri,
    mimeType: 'application/json',
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  };
}

export interface FixturePrompt {
  readonly description: string;
  /** Names of its arguments. Absent: none. */
  readonly takes?: readonly string[];
  readonly say: (values: Readonly<Record<string, string>>) => ContentBlock[];
}

export const prompts: Readonly<Record<string, FixturePrompt>> = {
  test_simple_prompt: {
    description: 'One text',
    say: () => [text('This is a simple prompt for testing.')],
  },
  test_prompt_with_arguments: {
    description: 'A text with both arguments',
    takes: ['arg1', 'arg2'],
    say: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: 'A resource and a text',
    takes: ['resourceUri'],
    say: ({ resourceUri = '' }) => [
      embedded(resourceUri, 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    description: 'An image and a text',
    say: () => [image, text('Please analyze the image above.')],
  },
};
