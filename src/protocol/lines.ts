/**
 * Cuts a byte stream into lines on 0x0A before anything is decoded (a decoder fed half a character would
 * change the text), in time linear in the bytes and with bounded memory.
 */

export type LineEvent =
  | {
      readonly kind: 'line';
      readonly bytes: Buffer;
      /** The same memory with its newline, so that passing a line on needs no copy. */
      readonly framed: Buffer;
    }
  /** A line grew past the limit; what was held of it is dropped and the rest is skipped up to its end. */
  | { readonly kind: 'too long' };

/** Pieces below this are copied together: a peer that writes byte by byte must not cost an object a byte. */
const smallBytes = 4096;
const blockBytes = 65_536;

export class LineCutter {
  private parts: Buffer[] = [];
  private heldBytes = 0;
  private skipping = false;
  /** Block that small pieces are collected in, and how much of it is used. */
  private block: Buffer | undefined;
  private used = 0;

  /**
   * @param limitBytes longest line, its newline not counted.
   * @param overflow sees every byte of a line that is too long, from its beginning, piece by piece; `end`
   *   with the last one. What it needs of them it must copy.
   */
  constructor(
    private readonly limitBytes: number,
    private readonly overflow?: (piece: Buffer, end: boolean) => void,
  ) {}

  /** Lines completed by this chunk, in order, without their newline. */
  *push(chunk: Buffer): Generator<LineEvent> {
    let from = 0;
    while (from < chunk.length) {
      const newline = chunk.indexOf(0x0a, from);
      const ends = newline !== -1;
      const to = ends ? newline : chunk.length;
      if (this.skipping) {
        this.skipping = !ends;
        this.overflow?.(chunk.subarray(from, to), ends);
      } else if (this.heldBytes + (to - from) > this.limitBytes) {
        this.skipping = !ends;
        this.spill(chunk.subarray(from, to), ends);
        yield { kind: 'too long' };
      } else if (ends) {
        const framed = this.take(chunk.subarray(from, to + 1));
        yield { kind: 'line', bytes: framed.subarray(0, framed.length - 1), framed };
      } else {
        this.hold(chunk.subarray(from, to));
      }
      from = to + 1;
    }
  }

  /** What stands behind the last newline when the stream ends; empty when nothing does. */
  rest(): Buffer {
    if (this.skipping) {
      this.skipping = false;
      this.overflow?.(Buffer.alloc(0), true);
    }
    return this.take(Buffer.alloc(0));
  }

  private hold(piece: Buffer): void {
    this.heldBytes += piece.length;
    if (piece.length >= smallBytes) {
      this.sealBlock();
      this.parts.push(piece);
      return;
    }
    if (this.block !== undefined && this.used + piece.length > blockBytes) this.sealBlock();
    this.block ??= Buffer.allocUnsafe(blockBytes);
    this.used += piece.copy(this.block, this.used);
  }

  private sealBlock(): void {
    if (this.block !== undefined && this.used > 0) this.parts.push(this.block.subarray(0, this.used));
    this.block = undefined;
    this.used = 0;
  }

  private spill(last: Buffer, end: boolean): void {
    this.sealBlock();
    for (const part of this.parts) this.overflow?.(part, false);
    this.overflow?.(last, end);
    this.parts = [];
    this.heldBytes = 0;
  }

  private take(last: Buffer): Buffer {
    if (this.heldBytes === 0) return last;
    this.sealBlock();
    this.parts.push(last);
    const whole = Buffer.concat(this.parts, this.heldBytes + last.length);
    this.parts = [];
    this.heldBytes = 0;
    return whole;
  }
}
