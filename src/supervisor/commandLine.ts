/** `kinwatch run …` as the supervisor gets it (DESIGN §7), and the named servers of `servers.jsonc`. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { isInternal } from '../core/policy/environment.ts';
import { expandVariables } from '../core/policy/variables.ts';
import type { ServerEntry } from '../protocol/config.ts';
import { defaultEndTimes, type EndTimes } from './endTimes.ts';
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
  /** Absent: the client's PATH, or that of `env`. */
  readonly path?: 'login shell';
  readonly network: 'ask' | 'none';
  /** Absent: the family shares the supervisor's process namespace. */
  readonly isolation?: 'process namespace';
  /** Absent: {@link defaultEndTimes}. */
  readonly endTimes?: EndTimes;
}

const usage =
  'usage: kinwatch run [--name NAME] [--cwd DIR] [--env NAME[=VALUE]]… [--path "login shell"] -- COMMAND [ARG…]\n' +
  '       kinwatch run NAME                 a server of servers.jsonc';

/**
 * @param variables the client's own, for what is named and not written.
 * @throws StartError `usage`; `cannot run` when a variable that is named is not there.
 */
export async function parseRun(
  argv: readonly string[],
  serversFile: string,
  variables: ReadonlyMap<string, string>,
): Promise<RunRequest> {
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
    return named(name, serversFile, variables);
  }
  if (positionals.length > 0)
    throw new StartError('usage', `unexpected ${JSON.stringify(positionals[0])} before --\n${usage}`);
  const [command, ...args] = argv.slice(separator + 1);
  if (command === undefined || command === '')
    throw new StartError('usage', `the command after -- is empty\n${usage}`);
  const { path } = values;
  if (path !== undefined && path !== 'login shell')
    throw new StartError(
      'usage',
      `--path takes "login shell"; give a PATH of your own as --env PATH=…\n${usage}`,
    );
  const env = Object.fromEntries((values.env ?? []).map((text) => assignment(text, variables)));
  if (path !== undefined && Object.hasOwn(env, 'PATH'))
    throw new StartError('usage', `--path and --env PATH=… exclude each other\n${usage}`);
  return {
    server: values.name ?? basename(command),
    source: 'command line',
    network: 'ask',
    command,
    args,
    env,
    ...(path === undefined ? {} : { path }),
    ...(values.cwd === undefined ? {} : { cwd: values.cwd }),
  };
}

function parseOwn(argv: readonly string[]): {
  values: { name?: string; cwd?: string; env?: string[]; path?: string };
  positionals: string[];
} {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        name: { type: 'string' },
        cwd: { type: 'string' },
        env: { type: 'string', multiple: true },
        path: { type: 'string' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new StartError('usage', `${error instanceof Error ? error.message : String(error)}\n${usage}`, {
      cause: error,
    });
  }
}

/** `NAME=VALUE`, or `NAME` alone for the client's own value: what is on a command line every program can read. */
function assignment(text: string, variables: ReadonlyMap<string, string>): [string, string] {
  const equals = text.indexOf('=');
  // The text may hold a secret: it is not repeated.
  if (equals === 0) throw new StartError('usage', `--env takes NAME=VALUE or NAME\n${usage}`);
  if (equals === -1) return [text, passedOn(text, variables)];
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function passedOn(name: string, variables: ReadonlyMap<string, string>): string {
  if (!/^[A-Za-z_]\w*$/u.test(name))
    throw new StartError('usage', `--env takes NAME=VALUE or NAME\n${usage}`);
  if (isInternal(name))
    throw new StartError(
      'cannot run',
      `--env ${name}: ${name} belongs to the editor or to Kinwatch and never reaches a server; remove it`,
    );
  const value = variables.get(name);
  if (value !== undefined) return value;
  throw new StartError(
    'cannot run',
    `--env ${name}: ${name} is not set where the client runs; set it there, or write --env ${name}=VALUE`,
  );
}

async function named(
  name: string,
  serversFile: string,
  variables: ReadonlyMap<string, string>,
): Promise<RunRequest> {
  const entry = expanded(await readServers(serversFile, name), name, serversFile, variables);
  return {
    server: name,
    source: serversFile,
    command: entry.command,
    args: entry.args,
    env: entry.env,
    network: entry.network,
    ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
    ...(entry.path === undefined ? {} : { path: entry.path }),
    ...(entry.isolation === undefined ? {} : { isolation: entry.isolation }),
    ...(entry.end === undefined ? {} : { endTimes: endTimesOf(entry.end) }),
  };
}

function endTimesOf({ closeSeconds, termSeconds }: NonNullable<ServerEntry['end']>): EndTimes {
  return {
    closeMs: closeSeconds === undefined ? defaultEndTimes.closeMs : closeSeconds * 1000,
    termMs: termSeconds === undefined ? defaultEndTimes.termMs : termSeconds * 1000,
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

/** The entry with its variables in place. */
function expanded(
  entry: ServerEntry,
  name: string,
  serversFile: string,
  variables: ReadonlyMap<string, string>,
): ServerEntry {
  const written = (place: string, text: string, onCommandLine: boolean): string => {
    const result = expandVariables(text, variables, onCommandLine);
    if (result.kind === 'text') return result.text;
    throw new StartError('cannot run', `servers.${name}.${place} in ${serversFile} ${result.fault}`);
  };
  return {
    ...entry,
    command: written('command', entry.command, true),
    args: entry.args.map((text, index) => written(`args[${index}]`, text, true)),
    env: Object.fromEntries(
      Object.entries(entry.env).map(([key, text]) => [key, written(`env.${key}`, text, false)]),
    ),
    ...(entry.cwd === undefined ? {} : { cwd: written('cwd', entry.cwd, true) }),
  };
}
