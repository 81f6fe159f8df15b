/** The client's streams. Never Node's `process.stdout` for pipes: it writes synchronously, and a client that does not read would stop the relay. */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { SessionStreams } from './session.ts';

export function clientStreams(): SessionStreams {
  return {
    clientIn: process.stdin,
    clientOut: output(1, process.stdout),
    log: output(2, process.stderr),
  };
}

function output(fd: number, ordinary: Writable): Writable {
  const stats = fstatSync(fd);
  const stream =
    stats.isFIFO() || stats.isSocket() ? new Socket({ fd, readable: false, writable: true }) : ordinary;
  // A reader that went away is noticed by the relay; a lost log is no reason to end.
  stream.on('error', () => undefined);
  return stream;
}
