/** Passes a server's stderr on and keeps its end, for error messages and the record. */
import type { Readable, Writable } from 'node:stream';

const keptBytes = 8 * 1024;

export class StderrTail {
  private kept: Buffer = Buffer.alloc(0);

  /** Reads on even when `to` takes nothing: a server must not block because nobody reads its log. */
  constructor(from: Readable, to: Writable) {
    from.on('data', (chunk: Buffer) => {
      this.kept = Buffer.concat([this.kept, chunk]).subarray(-keptBytes);
      if (!to.writableNeedDrain) to.write(chunk);
    });
    from.on('error', () => undefined); // the server closed it: nothing more to pass on
  }

  text(): string {
    return this.kept.toString('utf8');
  }
}
