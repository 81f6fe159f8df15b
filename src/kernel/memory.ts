/** Reads another process's memory: `process_vm_readv(2)`. One instance serves one thread. */
import { addressOf, libc } from './libc.ts';

const pageBytes = 4096n;
const pointerBytes = 8;

export interface StringVector {
  readonly strings: readonly Buffer[];
  /** True when the vector went on past the limit. */
  readonly truncated: boolean;
}

export class TargetMemory {
  /** Larger than Node's buffer pool, so it has an ArrayBuffer of its own and never moves. */
  private readonly window = Buffer.alloc(64 * 1024);
  private readonly local = Buffer.alloc(16);
  private readonly remote = Buffer.alloc(16);

  constructor() {
    this.local.writeBigUInt64LE(addressOf(this.window), 0);
  }

  /** Bytes read into the window, which the next read overwrites. Fewer than asked at an unmapped page; -1 when unreadable. */
  private read(pid: number, address: bigint, lengthBytes: number): number {
    this.local.writeBigUInt64LE(BigInt(lengthBytes), 8);
    this.remote.writeBigUInt64LE(address, 0);
    this.remote.writeBigUInt64LE(BigInt(lengthBytes), 8);
    return libc.processVmReadv(pid, this.local, 1, this.remote, 1, 0);
  }

  /** Undefined when they cannot be read whole. At most as many as the window takes. */
  readBytes(pid: number, address: bigint, lengthBytes: number): Buffer | undefined {
    if (lengthBytes > this.window.length || this.read(pid, address, lengthBytes) !== lengthBytes)
      return undefined;
    return Buffer.from(this.window.subarray(0, lengthBytes));
  }

  /** False when they could not be written whole. */
  writeBytes(pid: number, address: bigint, bytes: Buffer): boolean {
    const local = Buffer.alloc(16);
    local.writeBigUInt64LE(addressOf(bytes), 0);
    local.writeBigUInt64LE(BigInt(bytes.length), 8);
    this.remote.writeBigUInt64LE(address, 0);
    this.remote.writeBigUInt64LE(BigInt(bytes.length), 8);
    return libc.processVmWritev(pid, local, 1, this.remote, 1, 0) === bytes.length;
  }

  /** The string at an address, without its NUL. Undefined when unreadable or longer than the limit. */
  readString(pid: number, address: bigint, limitBytes: number): Buffer | undefined {
    const parts: Buffer[] = [];
    let total = 0;
    let at = address;
    while (total <= limitBytes) {
      // Never across a page in one read: the next page may be unmapped.
      const length = Number(pageBytes - (at % pageBytes));
      const count = this.read(pid, at, length);
      if (count <= 0) return undefined;
      const nul = this.window.subarray(0, count).indexOf(0);
      const end = nul === -1 ? count : nul;
      parts.push(Buffer.from(this.window.subarray(0, end)));
      total += end;
      if (nul !== -1) return total > limitBytes ? undefined : Buffer.concat(parts);
      at += BigInt(count);
    }
    return undefined;
  }

  /** The NULL-terminated vector of strings at an address, as `execve(2)` takes it. Undefined when unreadable. */
  readVector(pid: number, address: bigint, limitBytes: number): StringVector | undefined {
    const strings: Buffer[] = [];
    if (address === 0n) return { strings, truncated: false };
    let left = limitBytes;
    let at = address;
    for (;;) {
      const toPageEnd = Number(pageBytes - (at % pageBytes));
      // A pointer may straddle pages only when the vector is unaligned; read it alone then.
      const length = toPageEnd < pointerBytes ? pointerBytes : toPageEnd - (toPageEnd % pointerBytes);
      const count = this.read(pid, at, length);
      if (count < pointerBytes) return undefined;
      const pointers = Buffer.from(this.window.subarray(0, count - (count % pointerBytes)));
      for (let i = 0; i < pointers.length; i += pointerBytes) {
        const pointer = pointers.readBigUInt64LE(i);
        if (pointer === 0n) return { strings, truncated: false };
        const text = this.readString(pid, pointer, left);
        if (text === undefined) return left < limitBytes ? { strings, truncated: true } : undefined;
        strings.push(text);
        left -= text.length + pointerBytes;
        if (left <= 0) return { strings, truncated: true };
      }
      at += BigInt(pointers.length);
    }
  }
}
