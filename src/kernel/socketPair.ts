/** A connected pair of unix stream sockets by descriptor number, so that threads can share its ends. */
import { errno, KernelError, libc } from './libc.ts';

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0x80000;

/** Both ends close on exec; a child gets its end through `stdio`. The caller closes both. */
export function socketPair(): [number, number] {
  const fds = Buffer.alloc(8);
  if (libc.socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) !== 0)
    throw new KernelError('socketpair', errno());
  return [fds.readInt32LE(0), fds.readInt32LE(4)];
}
