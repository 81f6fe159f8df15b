/** What the supervisor says to people: on stderr, and to the agent through the relay. */
import type { Places } from '../protocol/places.ts';

export const messages = {
  prefix: 'kinwatch: ',
  noDesk: (places: Places, reason: string): string =>
    `Kinwatch's desk did not start (${reason}). Nothing was launched. Look at ${places.runtime} and start again.`,
  unsafePlace: (fault: string): string => `${fault}. Nothing was launched.`,
  notADesk: (places: Places, reason: string): string =>
    `What listens on ${places.socket} is no desk of this version (${reason}). Nothing was launched. End it and start again.`,
  deskRefused: (reason: string): string => `Kinwatch's desk refused this start: ${reason}`,
  spawnFailed: (reason: string): string => `The server could not be launched: ${reason}`,
  unable: (reason: string): string =>
    `Kinwatch cannot hold programs here: ${reason}. Nothing was launched. kinwatch doctor says what this machine can do.`,
  noNamespace: (server: string, source: string, reason: string): string =>
    `${JSON.stringify(server)} asks for a process namespace of its own, and this machine does not permit it (${reason}). ` +
    `Nothing was launched. Permit user namespaces, or remove "isolation" from it in ${source}; kinwatch doctor says more.`,
  portable:
    'KINWATCH_WATCHER=portable: the portable watcher is not in this version. Unset it. Nothing was launched.',
  unknownWatcher: (value: string): string =>
    `KINWATCH_WATCHER is ${JSON.stringify(value)}; it takes seccomp or portable. Nothing was launched.`,
  exited: (status: string): string => `the server ended (${status})`,
  clientClosed: 'the client closed its end',
  clientGone: 'the client has gone',
  clientSignal: (signal: string): string => `the client stopped it (${signal})`,
  deskLost: 'the desk was lost for 5 s',
  watchFailed: (reason: string): string => `the watch failed: ${reason}`,
  evidenceLate: 'the desk did not write evidence in time',
} as const;
