/**
 * The notification side of a family's filter: `seccomp_unotify(2)`. Calls of members arrive as
 * {@link Notification}s and wait until they are answered; any thread may answer.
 */
import { koffi } from './koffi.ts';
import { errno, KernelError, libc } from './libc.ts';
import { errnos } from './numbers.ts';

const NOTIF_RECV = 0xc0502100;
const NOTIF_SEND = 0xc0182101;
const NOTIF_ID_VALID = 0x40082102;
const FLAG_CONTINUE = 1;
const POLLIN = 1;
const POLLHUP = 16;

export interface Notification {
  readonly id: bigint;
  /** The calling *thread*. */
  readonly tid: number;
  readonly call: number;
  /** `AUDIT_ARCH_*`: another than this machine's own means that `call` is of another table. */
  readonly architecture: number;
  readonly arguments: readonly [bigint, bigint, bigint, bigint, bigint, bigint];
}

export type Answer =
  /** The kernel performs the call as the member made it. */
  | { readonly kind: 'continue' }
  /** The call was performed on the member's behalf and returns this. */
  | { readonly kind: 'value'; readonly value: number }
  /** The call returns -1 with this errno. */
  | { readonly kind: 'errno'; readonly errno: number };

export class Listener {
  private readonly request = Buffer.alloc(80);
  private readonly response = Buffer.alloc(24);
  private readonly cookie = Buffer.alloc(8);
  private readonly pollEntry = Buffer.alloc(8);
  /** This descriptor and another one: {@link next}. */
  private readonly pollPair = Buffer.alloc(16);
  private readonly patience = Buffer.alloc(16);
  private handle: { stop(): void; close(): void } | undefined;

  constructor(readonly fd: number) {
    this.pollEntry.writeInt32LE(fd, 0);
    this.pollEntry.writeInt16LE(POLLIN, 4);
    this.pollPair.writeInt32LE(fd, 0);
    this.pollPair.writeInt16LE(POLLIN, 4);
    this.pollPair.writeInt16LE(POLLIN, 12);
  }

  /**
   * Calls back on this thread's event loop whenever something may be waiting. An exception inside koffi's
   * callback aborts the process much later, so none leaves it: `failed` gets it.
   */
  watch(ready: () => void, failed: (error: unknown) => void): void {
    this.handle = koffi.node.poll(this.fd, { readable: true, disconnect: true }, () => {
      try {
        ready();
      } catch (error) {
        failed(error);
      }
    });
  }

  /** Must come before the thread ends: a live poll handle in a dying thread aborts the process. */
  unwatch(): void {
    this.handle?.stop();
    this.handle?.close();
    this.handle = undefined;
  }

  /**
   * What a look at the descriptor says now. `empty` is the kernel's own word that no task is left under the
   * filter (POLLHUP); it is told only when nothing is waiting.
   */
  state(): 'waiting' | 'idle' | 'empty' {
    this.pollEntry.writeInt16LE(0, 6);
    if (libc.poll(this.pollEntry, 1, 0) <= 0) return 'idle';
    const events = this.pollEntry.readInt16LE(6);
    if ((events & POLLIN) !== 0) return 'waiting';
    return (events & POLLHUP) === 0 ? 'idle' : 'empty';
  }

  /**
   * What comes first within so many microseconds: a waiting call, something to read on the other descriptor, or
   * nothing. The calling thread sleeps meanwhile.
   */
  next(otherFd: number, patienceUs: number): 'waiting' | 'other' | 'nothing' {
    this.pollPair.writeInt16LE(0, 6);
    this.pollPair.writeInt32LE(otherFd, 8);
    this.pollPair.writeInt16LE(0, 14);
    this.patience.writeUInt32LE(patienceUs * 1000, 8);
    if (libc.ppoll(this.pollPair, 2, this.patience, null) <= 0) return 'nothing';
    if ((this.pollPair.readInt16LE(6) & POLLIN) !== 0) return 'waiting';
    return (this.pollPair.readInt16LE(14) & POLLIN) === 0 ? 'nothing' : 'other';
  }

  /**
   * The next waiting call. Undefined when there is none any more: its thread was killed meanwhile.
   * Only after {@link state} said `waiting`: on kernels before 6.11 it would block for ever on a hang-up.
   */
  receive(): Notification | undefined {
    const bytes = this.request.fill(0);
    if (libc.ioctl(this.fd, NOTIF_RECV, bytes) !== 0) {
      const code = errno();
      if (code === errnos.ENOENT || code === errnos.EINTR) return undefined;
      throw new KernelError('ioctl(SECCOMP_IOCTL_NOTIF_RECV)', code);
    }
    const argument = (index: number): bigint => bytes.readBigUInt64LE(32 + index * 8);
    return {
      id: bytes.readBigUInt64LE(0),
      tid: bytes.readUInt32LE(8),
      call: bytes.readInt32LE(16),
      architecture: bytes.readUInt32LE(20),
      arguments: [argument(0), argument(1), argument(2), argument(3), argument(4), argument(5)],
    };
  }

  /** True while the call still waits: what was read about its process until now belongs to it. */
  isValid(id: bigint): boolean {
    this.cookie.writeBigUInt64LE(id);
    return libc.ioctl(this.fd, NOTIF_ID_VALID, this.cookie) === 0;
  }

  /** False when the caller is gone or was answered before. */
  answer(id: bigint, answer: Answer): boolean {
    const bytes = this.response.fill(0);
    bytes.writeBigUInt64LE(id, 0);
    if (answer.kind === 'continue') bytes.writeUInt32LE(FLAG_CONTINUE, 20);
    else if (answer.kind === 'value') bytes.writeBigInt64LE(BigInt(answer.value), 8);
    else bytes.writeInt32LE(-answer.errno, 16);
    return libc.ioctl(this.fd, NOTIF_SEND, bytes) === 0;
  }

  close(): void {
    this.unwatch();
    libc.close(this.fd);
  }
}
