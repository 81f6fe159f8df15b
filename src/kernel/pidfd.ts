/** Processes by descriptor, so that a reused pid is never signalled: `pidfd_open(2)`, `pidfd_send_signal(2)`. */
import { koffi } from './koffi.ts';
import { errno, KernelError, libc } from './libc.ts';
import { syscalls } from './numbers.ts';

/** Undefined when the process is gone. The caller closes the descriptor. */
export function openPidfd(pid: number): number | undefined {
  const fd = libc.syscall(syscalls().pidfdOpen, pid, 0, 0, 0, 0);
  return fd < 0 ? undefined : fd;
}

/** False when the process has ended. */
export function signalPidfd(fd: number, signal: number): boolean {
  return libc.syscall(syscalls().pidfdSendSignal, fd, signal, 0, 0, 0) === 0;
}

export function closeFd(fd: number): void {
  libc.close(fd);
}

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const EPOLLONESHOT = 1 << 30;
/** Ends taken in by one look. */
const mostAtOnce = 64;
/** `struct epoll_event` is packed on x86 only. */
const dataOffset = process.arch === 'x64' ? 4 : 8;
const eventBytes = dataOffset + 8;

/** Learns of the ends of many processes through one descriptor: `epoll(7)` over pidfds. A zombie has ended. */
export class ProcessEnds {
  /** Readable when a process has ended that {@link collect} has not told. */
  readonly fd: number;
  private readonly event = Buffer.alloc(eventBytes);
  private readonly events = Buffer.alloc(eventBytes * mostAtOnce);
  private handle: { stop(): void; close(): void } | undefined;

  /** @throws KernelError when the system has no descriptor left. */
  constructor() {
    this.fd = libc.epollCreate(EPOLL_CLOEXEC);
    if (this.fd < 0) throw new KernelError('epoll_create1', errno());
  }

  /** Until the pidfd is closed. `pid` is only what {@link collect} gives back. */
  add(pidfd: number, pid: number): void {
    this.event.writeUInt32LE((EPOLLIN | EPOLLONESHOT) >>> 0, 0);
    this.event.writeBigUInt64LE(BigInt(pid), dataOffset);
    if (libc.epollControl(this.fd, EPOLL_CTL_ADD, pidfd, this.event) !== 0)
      throw new KernelError('epoll_ctl(EPOLL_CTL_ADD)', errno());
  }

  /** Pids that have ended, each told once; empty when there is none now. */
  collect(): number[] {
    const count = libc.epollWait(this.fd, this.events, mostAtOnce, 0);
    const pids: number[] = [];
    for (let i = 0; i < count; i += 1) pids.push(this.events.readUInt32LE(i * eventBytes + dataOffset));
    return pids;
  }

  /**
   * Calls back on this thread's event loop when there is something to {@link collect}. An exception inside koffi's
   * callback aborts the process much later, so none leaves it: `failed` gets it.
   */
  watch(ready: () => void, failed: (error: unknown) => void): void {
    this.handle = koffi.node.poll(this.fd, { readable: true, disconnect: false }, () => {
      try {
        ready();
      } catch (error) {
        failed(error);
      }
    });
  }

  /** Must come before the thread ends. */
  close(): void {
    this.handle?.stop();
    this.handle?.close();
    this.handle = undefined;
    libc.close(this.fd);
  }
}
