/** Processes by descriptor, so that a reused pid is never signalled: `pidfd_open(2)`, `pidfd_send_signal(2)`. */
import { libc } from './libc.ts';
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
