/** `kinwatch run …` as the supervisor gets it (DESIGN §7), and the named servers of `servers.jsonc`. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { ServerEntry } from '../protocol/config.ts';
import { StartError } from './startError.ts';

/** What is to be launched, as it was asked for. */
export interface RunRequest {
  readonly server: string;
  /** The path of `servers.jsonc`, or `command line`. */
  readonly source: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Absent: the client's own working directory. */
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
}

const usage =
  'usage: kinwatch run [--name NAME] [--cwd DIR] [--env K=V]… -- COMMAND [ARG…]\n' +
  '       kinwatch run NAME                 a server of servers.jsonc';

/** @throws StartError `usage` */
export async function parseRun(argv: readonly string[], serversFile: string): Promise<RunRequest> {
  const separator = argv.indexOf('--');
  const own = separator === -1 ? argv : argv.slice(0, separator);
  const { values, positionals } = parseOwn(own);
  if (separator === -1) {
    const [name, extra] = positionals;
    if (name === undefined) throw new StartError('usage', `no server named and no command given\n${usage}`);
    if (extra !== undefined)
      throw new StartError(
        'usage',
        `unexpected ${JSON.stringify(extra)} after the server’s name; put -- before a command\n${usage}`,
      );
    return named(name, serversFile);
  }
  if (positionals.length > 0)
    throw new StartError('usage', `unexpected ${JSON.stringify(positionals[0])} before --\n${usage}`);
  const [command, ...args] = argv.slice(separator + 1);
  if (command === undefined || command === '')
    throw new StartError('usage', `the command after -- is empty\n${usage}`);
  return {
    server: values.name ?? basename(command),
    source: 'command line',
    command,
    args,
    env: Object.fromEntries((values.env ?? []).map(assignment)),
    ...(values.cwd === undefined ? {} : { cwd: values.cwd }),
  };
}

function parseOwn(argv: readonly string[]): {
  values: { name?: string; cwd?: string; env?: string[] };
  positionals: string[];
} {
  try {
    return parseArgs({
      args: [...argv],
      options: { name: { type: 'string' }, cwd: { type: 'string' }, env: { type: 'string', multiple: true } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new StartError('usage', `${error instanceof Error ? error.message : String(error)}\n${usage}`, {
      cause: error,
    });
  }
}

function assignment(text: string): [string, string] {
  const equals = text.indexOf('=');
  // The text may hold a secret: it is not repeated.
  if (equals < 1) throw new StartError('usage', `--env takes NAME=VALUE\n${usage}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

async function named(name: string, serversFile: string): Promise<RunRequest> {
  const entry = await readServers(serversFile, name);
  checkVariables(entry, name, serversFile);
  return {
    server: name,
    source: serversFile,
    command: entry.command,
    args: entry.args,
    env: entry.env,
    ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
  };
}

async function readServers(serversFile: string, name: string): Promise<ServerEntry> {
  let text: string;
  try {
    text = readFileSync(serversFile, 'utf8');
  } catch (error) {
    throw new StartError(
      'cannot run',
      `no server ${JSON.stringify(name)}: ${serversFile} cannot be read; create it with "Kinwatch: Open Server Configuration", or give a command after --`,
      { cause: error },
    );
  }
  // Schemas take time to load, and a command line needs none.
  const { parseServers } = await import('../protocol/config.ts');
  const result = parseServers(text);
  if (result.kind === 'invalid')
    throw new StartError('cannot run', `${serversFile} cannot be used: ${result.reason}`);
  const entry = result.servers.get(name);
  if (entry !== undefined) return entry;
  const names = [...result.servers.keys()].map((known) => JSON.stringify(known)).join(', ');
  throw new StartError(
    'cannot run',
    `no server ${JSON.stringify(name)} in ${serversFile}; it has ${names === '' ? 'none' : names}`,
  );
}

/** Other programs expand `${…}` in such files. Passing it on unexpanded would fail far from its cause. */
function checkVariables(entry: ServerEntry, name: string, serversFile: string): void {
  const places: [string, string][] = [
    ['command', entry.command],
    ['cwd', entry.cwd ?? ''],
    ...entry.args.map((text, index): [string, string] => [`args[${index}]`, text]),
    ...Object.entries(entry.env).map(([key, text]): [string, string] => [`env.${key}`, text]),
  ];
  for (const [place, text] of places) {
    const variable = /\$\{[^}]*\}/u.exec(text)?.[0];
    if (variable !== undefined) {
      throw new StartError(
        'cannot run',
        `servers.${name}.${place} in ${serversFile} holds ${variable}, and Kinwatch expands no variables; write the value itself`,
      );
    }
  }
}
