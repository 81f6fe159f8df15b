/** Who launched the shim, and with which environment: read off `/proc` as data, never inherited. */
import type { Argument, ClientFacts } from '../core/facts.ts';
import type { ClientLook } from '../core/transition/deadlines.ts';
import { readCmdline, readEnviron, readExe, readStat, startTimeOf } from '../watch/proc.ts';
import { toArgument } from '../watch/argument.ts';
import { StartError } from './startError.ts';

export interface Launch {
  readonly shimPid: number;
  readonly client: ClientFacts;
  readonly environment: ReadonlyMap<string, string>;
}

/**
 * @param shimPid the process that `kinwatch run` was launched as, our parent.
 * @throws StartError when it or its parent has gone: nobody would be there to talk to.
 */
export function readLaunch(shimPid: number): Launch {
  const shim = readStat(shimPid);
  const environ = readEnviron(shimPid);
  const client = shim === undefined ? undefined : readStat(shim.ppid);
  if (process.ppid !== shimPid || shim === undefined || environ === undefined || client === undefined) {
    throw new StartError('cannot run', 'the program that launched kinwatch run has gone');
  }
  const exe = readExe(client.pid);
  const argv: Argument[] = (readCmdline(client.pid) ?? []).map(toArgument);
  return {
    shimPid,
    client: {
      pid: client.pid,
      startTicks: client.startTicks,
      startedAt: startTimeOf(client.startTicks),
      argv,
      ...(exe === undefined ? {} : { exe }),
    },
    environment: parseEnvironment(environ),
  };
}

/** The first of two equal names counts, as with `getenv(3)`. Entries without a name are left out. */
function parseEnvironment(entries: readonly Buffer[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const entry of entries) {
    const text = entry.toString('utf8');
    const equals = text.indexOf('=');
    if (equals > 0 && !variables.has(text.slice(0, equals))) {
      variables.set(text.slice(0, equals), text.slice(equals + 1));
    }
  }
  return variables;
}

/** What tells how long a client waits. */
export function clientLook({ exe, argv, claims }: ClientFacts): ClientLook {
  return {
    argv: argv.map((argument) => (typeof argument === 'string' ? argument : '')),
    ...(exe === undefined ? {} : { exe }),
    ...(claims === undefined ? {} : { claimedName: claims.name }),
  };
}
