/**
 * Cuts a byte stream into lines on 0x0A before anything is decoded (a decoder fed half a character would
 * change the text), in time linear in the bytes and with bounded memory.
 */

export type LineEvent =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  /** A line grew past the limit; what was held of it is dropped and the rest is skipped up to its end. */
  | { readonly kind: 'too long' };

export class LineCutter {
  private parts: Buffer[] = [];
  private heldBytes = 0;
  private skipping = false;

  /** @param limitBytes longest line, its newline not counted. */
  constructor(private readonly limitBytes: number) {}

  /** Lines completed by this chunk, in order, without their newline. */
  *push(chunk: Buffer): Generator<LineEvent> {
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(0x0a, from);
      const to = newline === -1 ? chunk.length : newline;
      if (this.skipping) {
        if (newline !== -1) this.skipping = false;
      } else if (this.heldBytes + (to - from) > this.limitBytes) {
        this.parts = [];
        this.heldBytes = 0;
        this.skipping = newline === -1;
        yield { kind: 'too long' };
      } else {
        if (to > from) this.parts.push(chunk.subarray(from, to));
        this.heldBytes += to - from;
        if (newline !== -1) yield { kind: 'line', bytes: this.take() };
      }
      if (newline === -1) return;
      from = newline + 1;
    }
  }

  /** What stands behind the last newline when the stream ends; empty when nothing does. */
  rest(): Buffer {
    return this.take();
  }

  private take(): Buffer {
    const [only] = this.parts;
    const bytes = this.parts.length === 1 && only !== undefined ? only : Buffer.concat(this.parts);
    this.parts = [];
    this.heldBytes = 0;
    return bytes;
  }
}
