/**
 * The name of the program that launched a server, told from its executable's path and never from what it
 * says of itself. A path is not a signature: cards show the whole path beside the name.
 */
import type { Argument, ClientFacts } from '../facts.ts';

export interface ClientName {
  readonly name: string;
  /** True for a name of our own table; otherwise `name` is a file name chosen by whoever made the file. */
  readonly known: boolean;
}

/** Editors built on the same code, by a folder or file name in their path. The first match counts. */
const editors: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.?cursor(?:-server)?(?:\/|$)/iu, 'Cursor'],
  [/(?:^|\/)\.?windsurf(?:-server)?(?:\/|$)/iu, 'Windsurf'],
  [/(?:^|\/)\.?(?:vs)?codium(?:-server|-insiders)?(?:\/|$)/iu, 'VSCodium'],
  [/(?:^|\/)code-server(?:-[^/]*)?(?:\/|$)/iu, 'code-server'],
  [/(?:^|\/)(?:code-insiders|\.vscode-server-insiders)(?:\/|$)/iu, 'VS Code Insiders'],
  [/(?:^|\/)(?:code|\.vscode-server|visual studio code\.app)(?:\/|$)/iu, 'VS Code'],
];

/** Native clients, and scripts run by Node, by file name. */
const programs: ReadonlyMap<string, string> = new Map([
  ['claude', 'Claude Code'],
  ['codex', 'Codex'],
  ['opencode', 'OpenCode'],
  ['cline', 'Cline'],
  ['gemini', 'Gemini CLI'],
  ['qwen', 'Qwen Code'],
  ['goose', 'Goose'],
  ['cn', 'Continue'],
  ['mcp-inspector', 'MCP Inspector'],
  ['mcpc', 'mcpc'],
]);

/** Packages that run under Node with an entry file of a general name, by a folder in the script's path. */
const packages: readonly (readonly [string, string])[] = [
  ['/@anthropic-ai/claude-code/', 'Claude Code'],
  ['/@openai/codex/', 'Codex'],
  ['/@google/gemini-cli/', 'Gemini CLI'],
  ['/@qwen-code/qwen-code/', 'Qwen Code'],
  ['/@modelcontextprotocol/inspector', 'MCP Inspector'],
  ['/@continuedev/cli/', 'Continue'],
];

const interpreter = /^(?:node(?:js)?|bun|deno|python[\d.]*)$/u;
/** Claude Code installs itself as `…/claude/versions/2.0.1`. */
const claudeVersion = /\/claude\/versions\/[^/]+$/u;

/** Last part of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function text(argument: Argument | undefined): string {
  return typeof argument === 'string' ? argument : '';
}

/** True when this process hosts an editor's extensions. */
export function isExtensionHost(argv: readonly Argument[]): boolean {
  const isForked = argv
    .slice(1, 4)
    .some((argument) => /(?:^|\/)bootstrap-fork(?:\.js)?$/u.test(text(argument)));
  return isForked || argv.some((argument) => text(argument) === '--type=extensionHost');
}

function editorName(path: string): string | undefined {
  return editors.find(([pattern]) => pattern.test(path))?.[1];
}

/** Names a client. A process that could not be read is named by its pid. */
export function clientName(client: ClientFacts): ClientName {
  const exe = client.exe ?? '';
  if (exe === '') return { name: `process ${client.pid}`, known: false };
  const base = fileName(exe);
  const script = interpreter.test(base)
    ? text(client.argv.slice(1).find((argument) => !text(argument).startsWith('-')))
    : '';
  if (isExtensionHost(client.argv)) {
    const name = editorName(exe) ?? editorName(script);
    return name === undefined ? { name: base, known: false } : { name, known: true };
  }
  if (claudeVersion.test(exe)) return { name: 'Claude Code', known: true };
  if (script !== '') {
    const found = packages.find(([folder]) => script.includes(folder))?.[1];
    const name = found ?? programs.get(fileName(script).replace(/\.[cm]?js$/u, ''));
    return name === undefined ? { name: fileName(script), known: false } : { name, known: true };
  }
  const name =
    programs.get(base) ?? (editors.some(([pattern]) => pattern.test(base)) ? editorName(exe) : undefined);
  return name === undefined ? { name: base, known: false } : { name, known: true };
}
