/** The client's streams. Never Node's `process.stdout` for pipes: it writes synchronously, and a client that does not read would stop the relay. */
import { fstatSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import type { Writable } from 'node:stream';
import type { Opener } from './relay/relay.ts';
import type { SessionStreams } from './session.ts';

export function clientStreams(): SessionStreams {
  return {
    clientIn: isPipe(0) ? pipeOpener(0) : process.stdin,
    clientOut: output(1, () => process.stdout),
    log: output(2, () => process.stderr),
  };
}

/** A pipe or socket that is read straight into the taker's memory: no buffer and no copy for each read. */
export function pipeOpener(fd: number): Opener {
  return (into) => {
    const options: SocketConstructorOpts & { onread: OnReadOpts } = {
      fd,
      readable: true,
      writable: false,
      onread: {
        buffer: () => into.room(),
        callback: (bytes) => {
          into.took(bytes);
          return true;
        },
      },
    };
    return new Socket(options);
  };
}

function isPipe(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket();
}

/** @param ordinary Node's own stream: made only where it is used, for making it costs some milliseconds. */
function output(fd: number, ordinary: () => Writable): Writable {
  const stream = isPipe(fd) ? new Socket({ fd, readable: false, writable: true }) : ordinary();
  // A reader that went away is noticed by the relay; a lost log is no reason to end.
  stream.on('error', () => undefined);
  return stream;
}
