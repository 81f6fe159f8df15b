/**
 * The memory that a stream is read into, cut into lines on 0x0A before anything is decoded (a decoder fed half a
 * character would change the text). A line lies in one piece where it was read: it is copied only when it outgrows
 * its block, in time linear in its bytes.
 *
 * Invariant: bytes of a line that was given out are not written again while its taker may still look at them, so
 * they can be judged and passed on as they lie there. Memory that is free again is used again: new pages cost more
 * than everything else that happens to a large message.
 */

/** One block takes many small messages; a read takes what the kernel's socket buffer holds (about 200 KiB). */
const blockBytes = 256 * 1024;
const leastRoomBytes = 32 * 1024;
/** Memory that is not written to costs nothing, so a line that outgrows its block gets one that is much larger. */
const growth = 16;
const newline = 0x0a;
const empty = Buffer.alloc(0);

export interface Lines {
  /**
   * @param line the bytes of a line with its newline.
   * @param more other bytes that came with it follow.
   */
  line(line: Buffer, more: boolean): void;
  /**
   * A line is too long: every byte of it but the newline, from its beginning, piece by piece; `end` with the last.
   * What is needed of a piece must be copied.
   */
  overflow(piece: Buffer, end: boolean): void;
  /** True when nothing looks at any line given out before, now or later. */
  letGo(): boolean;
}

export class Intake {
  private block: Buffer = empty;
  /** Where the unfinished line begins, and the end of what came. */
  private from = 0;
  private to = 0;
  private skipping = false;
  /** Length of the line given out last. */
  private lastBytes = 0;

  /** @param limitBytes longest line, its newline not counted. */
  constructor(
    private readonly limitBytes: number,
    private readonly lines: Lines,
  ) {}

  /** Where the next bytes are to be put. Asked for again after each {@link took}. */
  room(): Buffer {
    const held = this.to - this.from;
    if (held === 0 && this.to > 0 && this.lines.letGo()) {
      this.from = 0;
      this.to = 0;
    }
    // A block that has grown stays while large lines come, and goes with the first that needs it no more.
    const tooLarge = held === 0 && this.block.length > blockBytes && this.lastBytes <= blockBytes;
    if (tooLarge || this.block.length - this.to < leastRoomBytes) {
      const block = Buffer.allocUnsafeSlow(
        Math.max(blockBytes, Math.min(held * growth, this.limitBytes + blockBytes)),
      );
      this.block.copy(block, 0, this.from, this.to);
      this.block = block;
      this.from = 0;
      this.to = held;
    }
    return this.block.subarray(this.to);
  }

  /** So many bytes were put into the {@link room}: gives the lines that they complete, in order. */
  took(bytes: number): void {
    const { block, lines, limitBytes } = this;
    if (this.from === this.to && this.to > 0 && block.length > blockBytes && lines.letGo()) {
      // The room was asked for while a large line was still being written: the next one begins where that one lay.
      block.copyWithin(0, this.to, this.to + bytes);
      this.from = 0;
      this.to = 0;
    }
    const to = this.to + bytes;
    let look = this.to;
    this.to = to;
    // What lies behind `to` is not ours to look at: a search must end before it.
    const whole = block[to - 1] === newline;
    while (look < to) {
      const at = whole ? block.indexOf(newline, look) : indexWithin(block, look, to);
      if (at === -1) break;
      const { from } = this;
      look = at + 1;
      this.from = look;
      if (this.skipping) {
        this.skipping = false;
        lines.overflow(block.subarray(from, at), true);
      } else if (at - from > limitBytes) {
        lines.overflow(block.subarray(from, at), true);
      } else {
        this.lastBytes = look - from;
        lines.line(block.subarray(from, look), look < to);
      }
    }
    if (this.skipping || this.to - this.from > limitBytes) this.skip();
  }

  /** What stands behind the last newline when the stream ends; empty when nothing does. */
  rest(): Buffer {
    const rest = this.block.subarray(this.from, this.to);
    this.from = this.to;
    if (!this.skipping) return rest;
    this.skipping = false;
    this.lines.overflow(empty, true);
    return empty;
  }

  /** Nothing of a line that is too long is kept. */
  private skip(): void {
    this.skipping = true;
    if (this.to > this.from) this.lines.overflow(this.block.subarray(this.from, this.to), false);
    // Lines given out before lie in front of `from`; what is behind it is free again.
    this.to = this.from;
  }
}

function indexWithin(block: Buffer, from: number, to: number): number {
  const at = block.subarray(from, to).indexOf(newline);
  return at === -1 ? -1 : from + at;
}
