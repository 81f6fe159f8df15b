/** Messages with an address of their own: read out of the caller's memory once, and sent from what was read. */
import type { Notification } from '../../kernel/listener.ts';
import type { TargetMemory } from '../../kernel/memory.ts';
import { errnos, syscalls } from '../../kernel/numbers.ts';
import {
  type CallResult,
  type Datagram,
  isNonBlocking,
  longestAddressBytes,
  MSG_DONTWAIT,
  sendDatagram,
} from '../../kernel/sockets.ts';

/** Performs what may block, on threads kept for that. */
export interface Performer {
  connect(fd: number, address: Buffer): Promise<CallResult>;
  send(fd: number, datagram: Datagram): Promise<CallResult>;
}

/** No datagram of IP is longer; a stream's caller goes on with the rest. */
const longestPayloadBytes = 65_535;
/** More pieces than `writev(2)` takes: IOV_MAX. */
const mostPieces = 1024;
const longestControlBytes = 4096;
const SOL_SOCKET = 1;

export type OutgoingMessage =
  /** It goes where its socket is connected. */
  | { readonly kind: 'without address' }
  | { readonly kind: 'failed'; readonly errno: number }
  | {
      readonly kind: 'message';
      readonly address: Buffer;
      readonly flags: number;
      /** False when it carries descriptors or credentials, which only the caller can send. */
      readonly isWhole: boolean;
      readonly pieces: readonly Piece[];
      readonly control: Buffer;
      /** Where `sendmmsg` wants the count of its first message. */
      readonly countAt: bigint | undefined;
    };

interface Piece {
  readonly address: bigint;
  readonly lengthBytes: number;
}

export class Datagrams {
  constructor(
    private readonly memory: TargetMemory,
    private readonly performer: Performer,
  ) {}

  read(notification: Notification, pid: number): OutgoingMessage {
    const { call, arguments: args } = notification;
    const flags = flagsOf(notification);
    if (call === syscalls().sendto) {
      const address = this.address(pid, args[4], Number(BigInt.asIntN(32, args[5])));
      if (!Buffer.isBuffer(address)) return address;
      const pieces = [{ address: args[1], lengthBytes: clamp(args[2]) }];
      return { kind: 'message', address, flags, isWhole: true, pieces, control: none, countAt: undefined };
    }
    const isMany = call === syscalls().sendmmsg;
    // Only the first of several: the caller goes on with the rest, as `sendmmsg(2)` tells it to.
    if (isMany && (args[2] & 0xffffffffn) === 0n) return { kind: 'without address' };
    return this.header(pid, args[1], flags, isMany ? args[1] + 56n : undefined);
  }

  /** `struct msghdr`: name, namelen, iov, iovlen, control, controllen, flags. */
  private header(pid: number, at: bigint, flags: number, countAt: bigint | undefined): OutgoingMessage {
    const header = this.memory.readBytes(pid, at, 56);
    if (header === undefined) return { kind: 'failed', errno: errnos.EFAULT };
    const name = header.readBigUInt64LE(0);
    const nameBytes = header.readUInt32LE(8);
    if (name === 0n || nameBytes === 0) return { kind: 'without address' };
    const address = this.address(pid, name, nameBytes);
    if (!Buffer.isBuffer(address)) return address;
    const pieces = this.pieces(pid, header.readBigUInt64LE(16), header.readBigUInt64LE(24));
    if (pieces === undefined) return { kind: 'failed', errno: errnos.EFAULT };
    const control = this.control(pid, header.readBigUInt64LE(32), header.readBigUInt64LE(40));
    const isWhole = control !== undefined && !carriesRights(control);
    return { kind: 'message', address, flags, isWhole, pieces, control: control ?? none, countAt };
  }

  private address(pid: number, at: bigint, lengthBytes: number): Buffer | { kind: 'failed'; errno: number } {
    if (at === 0n) return none;
    if (lengthBytes < 0 || lengthBytes > longestAddressBytes) return { kind: 'failed', errno: errnos.EINVAL };
    return this.memory.readBytes(pid, at, lengthBytes) ?? { kind: 'failed', errno: errnos.EFAULT };
  }

  private pieces(pid: number, at: bigint, count: bigint): Piece[] | undefined {
    if (count === 0n) return [];
    if (count > mostPieces) return undefined;
    const vector = this.memory.readBytes(pid, at, Number(count) * 16);
    if (vector === undefined) return undefined;
    return Array.from({ length: Number(count) }, (_, index) => ({
      address: vector.readBigUInt64LE(index * 16),
      lengthBytes: clamp(vector.readBigUInt64LE(index * 16 + 8)),
    }));
  }

  private control(pid: number, at: bigint, lengthBytes: bigint): Buffer | undefined {
    if (at === 0n || lengthBytes === 0n) return none;
    return lengthBytes > longestControlBytes
      ? undefined
      : this.memory.readBytes(pid, at, Number(lengthBytes));
  }

  /**
   * @param address in place of the caller's.
   * @param isStream more than fits is cut: its caller goes on with the rest.
   */
  async send(
    fd: number,
    pid: number,
    message: Extract<OutgoingMessage, { kind: 'message' }>,
    address: Buffer,
    isStream: boolean,
  ): Promise<CallResult> {
    const payload = this.payload(pid, isStream ? firstOf(message.pieces) : message.pieces);
    if (!Buffer.isBuffer(payload)) return payload;
    const datagram = { address, payload, control: message.control, flags: message.flags };
    // Without waiting it cannot hold this thread up; what would wait does so elsewhere.
    let result = sendDatagram(fd, { ...datagram, flags: message.flags | MSG_DONTWAIT });
    const wouldWait = result.kind === 'errno' && result.errno === errnos.EAGAIN;
    if (wouldWait && (message.flags & MSG_DONTWAIT) === 0 && !isNonBlocking(fd))
      result = await this.performer.send(fd, datagram);
    if (message.countAt === undefined || result.kind !== 'value') return result;
    const count = Buffer.alloc(4);
    count.writeUInt32LE(result.value);
    return this.memory.writeBytes(pid, message.countAt, count)
      ? { kind: 'value', value: 1 }
      : { kind: 'errno', errno: errnos.EFAULT };
  }

  private payload(pid: number, pieces: readonly Piece[]): Buffer | CallResult {
    const total = pieces.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0);
    if (total > longestPayloadBytes) return { kind: 'errno', errno: errnos.EMSGSIZE };
    const parts: Buffer[] = [];
    for (const { address, lengthBytes } of pieces) {
      const bytes = lengthBytes === 0 ? none : this.memory.readBytes(pid, address, lengthBytes);
      if (bytes === undefined) return { kind: 'errno', errno: errnos.EFAULT };
      parts.push(bytes);
    }
    // Of a memory of its own: its address is given to the kernel.
    const whole = Buffer.alloc(Math.max(total, 1));
    Buffer.concat(parts).copy(whole);
    return whole.subarray(0, total);
  }
}

const none = Buffer.alloc(0);

export function flagsOf({ call, arguments: args }: Notification): number {
  const isThird = call === syscalls().sendmsg;
  return Number(BigInt.asIntN(32, args[isThird ? 2 : 3]));
}

function firstOf(pieces: readonly Piece[]): Piece[] {
  const first = pieces.find(({ lengthBytes }) => lengthBytes > 0);
  return first === undefined
    ? []
    : [{ ...first, lengthBytes: Math.min(first.lengthBytes, longestPayloadBytes) }];
}

function clamp(length: bigint): number {
  return length > longestPayloadBytes ? longestPayloadBytes + 1 : Number(length);
}

/** `cmsg(3)`: a header of length, level and type before each. At the socket's own level: descriptors, credentials. */
function carriesRights(control: Buffer): boolean {
  let at = 0;
  while (at + 16 <= control.length) {
    const length = Number(control.readBigUInt64LE(at));
    if (control.readInt32LE(at + 8) === SOL_SOCKET) return true;
    if (length < 16) return false;
    at += Math.ceil(length / 8) * 8;
  }
  return false;
}
