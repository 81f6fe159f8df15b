/** The user's `servers.jsonc`, and what a workspace proposes. Without `vscode`: files in, plain data out. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { visibleText } from '../core/consequence/visible.ts';
import { quoted } from '../core/consequence/words.ts';
import { redactArguments } from '../core/redaction/redact.ts';
import { parseServers, type ServerEntry } from '../protocol/config.ts';
import { messages } from './messages.ts';

export interface Servers {
  readonly servers: ReadonlyMap<string, ServerEntry>;
  /** Why the file could not be used. Absent when it could, and when there is none. */
  readonly error?: string;
}

export async function readServers(path: string): Promise<Servers> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const none = { servers: new Map<string, ServerEntry>() };
    return code === 'ENOENT' ? none : { ...none, error: messages.serversUnreadable(message) };
  }
  const result = parseServers(text);
  return result.kind === 'servers' ? result : { servers: new Map(), error: result.reason };
}

/** One line for a list: the command with secrets masked and hidden characters visible. */
export function commandLine(entry: ServerEntry): string {
  return redactArguments([entry.command, ...entry.args])
    .map((word) => visibleText(quoted(word)))
    .join(' ');
}

const mostProposals = 50;
const longestName = 100;
const largestFileBytes = 1024 * 1024;

/**
 * Names of servers that files in these folders propose. They are shown and never started: an agent can
 * write them (DESIGN §1, invariant 8).
 */
export async function readProposals(folders: readonly string[]): Promise<string[]> {
  const names = new Set<string>();
  for (const folder of folders) {
    for (const file of [join('.vscode', 'mcp.json'), join('.kinwatch', 'servers.jsonc')]) {
      for (const name of await proposedIn(join(folder, file))) names.add(name);
    }
  }
  return [...names].slice(0, mostProposals);
}

async function proposedIn(path: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    // No file, no proposal; one that cannot be read proposes nothing either.
    return [];
  }
  if (text.length > largestFileBytes) return [];
  const value: unknown = parse(text, [], { allowTrailingComma: true });
  const servers: unknown =
    typeof value === 'object' && value !== null && 'servers' in value ? value.servers : {};
  if (typeof servers !== 'object' || servers === null) return [];
  return Object.keys(servers).map((name) => visibleText(name.slice(0, longestName)));
}
