/** Processes by descriptor, so that a reused pid is never signalled: `pidfd_open(2)`, `pidfd_send_signal(2)`. */
import { koffi } from './koffi.ts';
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

/**
 * Calls back once, on this thread's event loop, when the process has ended (a zombie has). `cancel` must be
 * called before the thread ends, and closes nothing: the descriptor stays the caller's.
 */
export function onProcessEnd(fd: number, ended: () => void): { cancel(): void } {
  const handle = koffi.node.poll(fd, { readable: true, disconnect: false }, () => {
    cancel();
    // An exception inside koffi's callback aborts the process later: let it surface as an ordinary one.
    setImmediate(ended);
  });
  let open = true;
  const cancel = (): void => {
    if (!open) return;
    open = false;
    handle.stop();
    handle.close();
  };
  return { cancel };
}
