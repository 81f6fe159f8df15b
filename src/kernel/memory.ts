/** Reads another process's memory: `process_vm_readv(2)`. One instance serves one thread. */
import { addressOf, libc } from './libc.ts';
import { PageWindow, pageSize } from './pageWindow.ts';

const pageBytes = BigInt(pageSize);
const pointerBytes = 8;
/** Above what a process has, and what a number holds exactly. */
const addressHighLimit = 2 ** 20;
const windowPages = 16;

export interface StringVector {
  readonly strings: readonly Buffer[];
  /** Of all its strings, with eight bytes more for each. */
  readonly sizeBytes: number;
  /** True when the vector went on past the limit, or a string into memory that can't be read. */
  readonly truncated: boolean;
}

export class TargetMemory {
  /** Larger than Node's buffer pool, so it has an ArrayBuffer of its own and never moves. */
  private readonly window = Buffer.alloc(windowPages * pageSize);
  private readonly words = new Uint32Array(this.window.buffer, this.window.byteOffset);
  private readonly pages = new PageWindow(windowPages);
  private readonly local = Buffer.alloc(16);
  private readonly remote = Buffer.alloc(16);
  private readonly runs = Buffer.alloc(16 * windowPages);

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

  /**
   * The NULL-terminated vector of strings at an address, as `execve(2)` takes it. Reads whole pages of strings, many
   * at once, wherever they lie. Undefined when unreadable.
   *
   * @param limitBytes of all strings, with eight more for each.
   * @param wants whether to give the string at a place of the bytes; the others are only counted.
   */
  readVector(
    pid: number,
    address: bigint,
    limitBytes: number,
    wants: (bytes: Buffer, from: number) => boolean = () => true,
  ): StringVector | undefined {
    const pointers = this.readPointers(pid, address, Math.floor(limitBytes / pointerBytes));
    if (pointers === undefined) return undefined;
    const strings: Buffer[] = [];
    let sizeBytes = pointers.length * pointerBytes;
    const truncated = (): StringVector => ({ strings, sizeBytes, truncated: true });
    if (sizeBytes > limitBytes) return truncated();
    let next = 0;
    while (next < pointers.length) {
      const until = this.readPages(pid, pointers, next);
      if (until === undefined) return undefined;
      for (let isIntact = true; isIntact && next < until; next += 1) {
        const pointer = pointers[next] ?? 0;
        const { from, to } = this.pages.placeOf(pointer);
        const nul = this.window.indexOf(0, from);
        let bytes: Buffer = this.window;
        let [start, end] = [from, nul];
        if (nul === -1 || nul >= to) {
          // It goes on where nothing was read: read by itself, and the pages of those behind it anew.
          const text = this.readString(pid, BigInt(pointer), limitBytes - sizeBytes);
          if (text === undefined) return truncated();
          [bytes, start, end] = [text, 0, text.length];
          isIntact = false;
        }
        sizeBytes += end - start;
        if (sizeBytes > limitBytes) return truncated();
        if (wants(bytes, start)) strings.push(Buffer.from(bytes.subarray(start, end)));
      }
    }
    return { strings, sizeBytes, truncated: false };
  }

  /** Up to the NULL, or one more than `most`. Undefined when unreadable, or when one is no address of a process. */
  private readPointers(pid: number, address: bigint, most: number): number[] | undefined {
    const pointers: number[] = [];
    if (address === 0n) return pointers;
    let at = address;
    for (;;) {
      const toPageEnd = Number(pageBytes - (at % pageBytes));
      // A pointer may straddle pages only when the vector is unaligned; read it alone then.
      const length = toPageEnd < pointerBytes ? pointerBytes : toPageEnd - (toPageEnd % pointerBytes);
      const count = this.read(pid, at, length);
      if (count < pointerBytes) return undefined;
      const words = 2 * Math.floor(count / pointerBytes);
      for (let i = 0; i < words; i += 2) {
        const [low = 0, high = 0] = [this.words[i], this.words[i + 1]];
        if (low === 0 && high === 0) return pointers;
        if (high >= addressHighLimit) return undefined;
        pointers.push(high * 2 ** 32 + low);
        if (pointers.length > most) return pointers;
      }
      at += BigInt(words * 4);
    }
  }

  /**
   * Reads the pages where the strings at these pointers begin, as many as the window takes.
   *
   * @returns the index behind the last pointer whose page was read; undefined when one cannot be read.
   */
  private readPages(pid: number, pointers: readonly number[], next: number): number | undefined {
    const until = this.pages.choose(pointers, next);
    const runs = this.pages.describe(this.runs);
    const length = this.pages.count * pageSize;
    this.local.writeBigUInt64LE(BigInt(length), 8);
    return libc.processVmReadv(pid, this.local, 1, this.runs, runs, 0) === length ? until : undefined;
  }
}
