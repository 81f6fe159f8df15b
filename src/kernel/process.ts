/** What a Kinwatch process asks of the kernel for itself: `prctl(2)`, `setrlimit(2)`, `waitpid(2)`. */
import { errno, KernelError, libc } from './libc.ts';

const PR_SET_PDEATHSIG = 1;
const PR_SET_DUMPABLE = 4;
const PR_SET_CHILD_SUBREAPER = 36;
const RLIMIT_CORE = 4;
const WNOHANG = 1;

/**
 * Non-dumpable and without core files: other processes of the user can neither trace this one nor read its
 * memory, environment or descriptors through /proc. Linux only; a no-op elsewhere.
 */
export function hardenProcess(): void {
  if (process.platform !== 'linux') return;
  if (libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) !== 0) throw new KernelError('prctl(PR_SET_DUMPABLE)', errno());
  if (libc.setrlimit(RLIMIT_CORE, Buffer.alloc(16)) !== 0)
    throw new KernelError('setrlimit(RLIMIT_CORE)', errno());
}

/** Orphaned descendants become children of this process instead of init's. */
export function becomeSubreaper(): void {
  if (libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) !== 0) {
    throw new KernelError('prctl(PR_SET_CHILD_SUBREAPER)', errno());
  }
}

/**
 * Asks for a signal when the parent dies. The parent may have died before: compare `process.ppid` afterwards.
 * The kernel watches the *thread* that created this process, which is why the shim is a single-threaded shell.
 */
export function signalOnParentDeath(signal: number): void {
  if (libc.prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) !== 0)
    throw new KernelError('prctl(PR_SET_PDEATHSIG)', errno());
}

/**
 * Ends this process now: `_exit(2)`. No exit handler runs and no thread is taken down first, which `process.exit` does
 * at some 20 ms for two threads. What was written and not handed to the kernel is lost; the caller has waited for it.
 */
export function exitNow(status: number): never {
  libc.exit(status);
  throw new Error('_exit returned');
}

/** How a child ended: an exit code, or the number of the signal that ended it. */
export type WaitStatus =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: number };

/**
 * Reaps one child that has ended. Undefined when it still runs or is no child of this process.
 * Never call it for a pid that Node itself started: Node's own `exit` event would be lost.
 */
export function reapChild(pid: number): WaitStatus | undefined {
  const status = Buffer.alloc(4);
  if (libc.waitpid(pid, status, WNOHANG) !== pid) return undefined;
  const value = status.readInt32LE(0);
  const signal = value & 0x7f;
  return signal === 0 ? { kind: 'exit', code: (value >> 8) & 0xff } : { kind: 'signal', signal };
}
