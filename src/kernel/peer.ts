/** Who is at the other end of a unix socket: `SO_PEERCRED`, `unix(7)`. */
import { errno, KernelError, libc } from './libc.ts';

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

/** Credentials of the process that connected, as they were then. */
export function peerCredentials(fd: number): { pid: number; uid: number; gid: number } {
  const value = Buffer.alloc(12);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(value.length);
  if (libc.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, value, length) !== 0) {
    throw new KernelError('getsockopt(SO_PEERCRED)', errno());
  }
  return { pid: value.readInt32LE(0), uid: value.readUInt32LE(4), gid: value.readUInt32LE(8) };
}
