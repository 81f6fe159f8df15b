/**
 * The C library through koffi: the few calls that Node does not offer. Everything here is a thin typed
 * shell; meaning and structures live in the files beside it.
 *
 * `ioctl`, `syscall`, `prctl` and `fcntl` are variadic in C. For integer and pointer arguments the x86-64 and
 * arm64 Linux ABIs pass variadic and fixed arguments alike, so fixed prototypes are used.
 */
import { koffi } from './koffi.ts';

type Address = bigint;
type Call<A extends readonly unknown[]> = (...args: A) => number;

const library = koffi.load(null);

/** A typed call of the C library: its prototype as C writes it. */
export function bind<A extends readonly unknown[]>(prototype: string): Call<A> {
  const native = library.func(prototype) as (...args: A) => number | bigint;
  return (...args) => Number(native(...args));
}

/** For calls that answer an `int`, which koffi gives as a number: nothing stands between. */
function bindInt<A extends readonly unknown[]>(prototype: string): Call<A> {
  return library.func(prototype) as Call<A>;
}

export const libc = {
  ioctl: bindInt<[number, number, Buffer]>('int ioctl(int fd, unsigned long request, void *argument)'),
  poll: bindInt<[Buffer, number, number]>('int poll(void *fds, unsigned long count, int timeout)'),
  ppoll: bindInt<[Buffer, number, Buffer, null]>(
    'int ppoll(void *fds, unsigned long count, void *timeout, void *mask)',
  ),
  epollCreate: bindInt<[number]>('int epoll_create1(int flags)'),
  epollControl: bindInt<[number, number, number, Buffer]>(
    'int epoll_ctl(int epoll, int operation, int fd, void *event)',
  ),
  epollWait: bindInt<[number, Buffer, number, number]>(
    'int epoll_wait(int epoll, void *events, int most, int timeout)',
  ),
  syscall: bind<[number, number, number, number, number, number]>(
    'long syscall(long number, long a, long b, long c, long d, long e)',
  ),
  prctl: bind<[number, number, number, number, number]>(
    'int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)',
  ),
  processVmReadv: bind<[number, Buffer, number, Buffer, number, number]>(
    'long process_vm_readv(int pid, void *local, unsigned long locals, void *remote, unsigned long remotes, unsigned long flags)',
  ),
  processVmWritev: bind<[number, Buffer, number, Buffer, number, number]>(
    'long process_vm_writev(int pid, void *local, unsigned long locals, void *remote, unsigned long remotes, unsigned long flags)',
  ),
  waitpid: bind<[number, Buffer, number]>('int waitpid(int pid, void *status, int options)'),
  close: bind<[number]>('int close(int fd)'),
  exit: bind<[number]>('void _exit(int status)'),
  flock: bind<[number, number]>('int flock(int fd, int operation)'),
  socketpair: bind<[number, number, number, Buffer]>(
    'int socketpair(int domain, int type, int protocol, void *fds)',
  ),
  getsockopt: bind<[number, number, number, Buffer, Buffer]>(
    'int getsockopt(int fd, int level, int name, void *value, void *length)',
  ),
  setrlimit: bind<[number, Buffer]>('int setrlimit(int resource, void *limit)'),
};

const syscallWithPointer = library.func('syscall', 'long', ['long', 'long', 'long', 'void *']) as (
  number: number,
  a: number,
  b: number,
  pointer: Buffer,
) => number | bigint;

/** `syscall(number, a, b, pointer)`: for calls whose third argument is a structure. */
export function syscallPointer(number: number, a: number, b: number, pointer: Buffer): number {
  return Number(syscallWithPointer(number, a, b, pointer));
}

const syscallFirstPointer = library.func('syscall', 'long', ['long', 'void *', 'long', 'long']) as (
  number: number,
  pointer: Buffer,
  b: number,
  c: number,
) => number | bigint;

/** `syscall(number, pointer, b, c)`: for calls whose first argument is a structure. */
export function syscallPointerFirst(number: number, pointer: Buffer, b: number, c: number): number {
  return Number(syscallFirstPointer(number, pointer, b, c));
}

/** The calling thread's `errno` after the last call above that failed. */
export function errno(): number {
  return koffi.errno();
}

/** Where a buffer's bytes lie in memory. Stable only for buffers with an ArrayBuffer of their own. */
export function addressOf(buffer: Buffer): Address {
  return koffi.address(buffer);
}

/** A kernel call that failed: which, and `errno`. */
export class KernelError extends Error {
  override readonly name = 'KernelError';
  constructor(
    readonly call: string,
    readonly code: number,
  ) {
    super(`${call} failed with errno ${code} (${errnoName(code)})`);
  }
}

const names: Readonly<Record<number, string>> = koffi.os.errno
  ? Object.fromEntries(Object.entries(koffi.os.errno).map(([name, value]) => [value, name]))
  : {};

export function errnoName(value: number): string {
  return names[value] ?? 'unknown';
}
