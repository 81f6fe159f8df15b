/** Where a socket call would lead, and the address that leads there and nowhere else. */
import { closeSync, fstatSync, openSync, readlinkSync } from 'node:fs';
import type { Endpoint, Transport } from '../../core/facts.ts';
import { errnos } from '../../kernel/numbers.ts';
import { families, protocols, type SocketKind, socketTypes } from '../../kernel/sockets.ts';
import { descriptorAddress, parseAddress } from './address.ts';
import type { MemberSocket } from './memberSocket.ts';

/** `O_PATH | O_CLOEXEC`: a descriptor that names a file without opening it, `open(2)`. */
const pathOnly = 0o10000000 | 0o2000000;

export interface Destination {
  readonly endpoint: Endpoint;
  readonly transport: Transport;
  /** Given to the kernel in place of the caller's: what was judged. */
  readonly address: Buffer;
  readonly close: () => void;
}

/** @returns the errno that the call gets when it leads nowhere. */
export function destinationOf(
  tid: number,
  { kind }: MemberSocket,
  address: Buffer,
): Destination | { readonly errno: number } {
  const raw = parseAddress(address);
  const isUnix = kind.family === families.unix;
  switch (raw.kind) {
    case 'inet': {
      if (isUnix) return { errno: errnos.EINVAL };
      const endpoint = { kind: 'inet', address: raw.address, port: raw.port } as const;
      return { endpoint, transport: transportOf(kind), address, close: nothing };
    }
    case 'abstract':
      if (!isUnix) return { errno: errnos.EAFNOSUPPORT };
      return { endpoint: raw, transport: 'unix', address, close: nothing };
    case 'unix':
      return isUnix ? unixFile(tid, raw.path) : { errno: errnos.EAFNOSUPPORT };
    case 'unspecified':
    case 'other':
      return { errno: errnos.EAFNOSUPPORT };
    case 'malformed':
      return { errno: errnos.EINVAL };
  }
}

function nothing(): void {
  // No descriptor is kept for an address in numbers.
}

function transportOf({ type, protocol }: SocketKind): Transport {
  if (type === socketTypes.stream) return 'tcp';
  return protocol === protocols.icmp || protocol === protocols.icmp6 ? 'icmp' : 'udp';
}

/** Through the caller's own root and working directory: the file that is judged is the one that is reached. */
function unixFile(tid: number, path: Buffer): Destination | { readonly errno: number } {
  if (path.length === 0) return { errno: errnos.EINVAL };
  const from = path[0] === 0x2f ? `/proc/${tid}/root` : `/proc/${tid}/cwd/`;
  let fd: number;
  try {
    fd = openSync(Buffer.concat([Buffer.from(from), path]), pathOnly);
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException;
    return { errno: errno === undefined ? errnos.EACCES : -errno };
  }
  // The descriptor leads to this file even when the path is given to another one meanwhile.
  if (!fstatSync(fd).isSocket()) {
    closeSync(fd);
    return { errno: errnos.ECONNREFUSED };
  }
  return {
    endpoint: { kind: 'unix', path: readlinkSync(`/proc/self/fd/${fd}`) },
    transport: 'unix',
    address: descriptorAddress(fd),
    close: () => closeSync(fd),
  };
}
