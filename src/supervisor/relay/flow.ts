/** The relay's two ends of a stream: frames out of a readable, bytes into a writable, with back-pressure. */
import type { Readable, Writable } from 'node:stream';
import { LineCutter } from '../../protocol/lines.ts';

/** More of the relay's own answers than this waiting to be read stops reading from who causes them. */
const ownAnswersBytes = 1 << 20;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const newline = Buffer.from('\n');

/** Why a source is not read. */
export type Obstacle = 'not attached' | 'peer is full' | 'answers wait';

export interface Frames {
  /** @param line `bytes` as they go on: with a newline behind them. */
  frame(bytes: Buffer, line: Buffer): void;
  /** A piece of a frame over the limit; `end` with its last. */
  overflow(piece: Buffer, end: boolean): void;
  /** The stream ended or broke; nothing follows. */
  ended(): void;
}

/** Where a source's frames go, and where answers to its own writer go. `undefined` before it is attached. */
export interface Sinks {
  peer(): Sink | undefined;
  back(): Sink | undefined;
}

/** Reads frames until the stream ends, and stops while any obstacle stands. */
export class Source {
  private readonly obstacles = new Set<Obstacle>();
  private readonly cutter: LineCutter;
  private first = true;
  private moved = false;
  ended = false;

  constructor(
    private readonly stream: Readable,
    limitBytes: number,
    private readonly frames: Frames,
    private readonly sinks: Sinks,
  ) {
    this.cutter = new LineCutter(limitBytes, (piece, end) => frames.overflow(piece, end));
    stream.on('data', (chunk: Buffer) => this.take(chunk));
    stream.on('end', () => this.finish());
    stream.on('error', () => this.finish());
    stream.on('close', () => this.finish());
  }

  get stopped(): boolean {
    return this.obstacles.size > 0;
  }

  stop(obstacle: Obstacle): void {
    this.obstacles.add(obstacle);
    this.stream.pause();
  }

  go(obstacle: Obstacle): void {
    if (this.obstacles.delete(obstacle) && !this.stopped) this.stream.resume();
  }

  /** Reads and drops from now on, so that the writer can end. */
  drop(): void {
    this.finish();
    this.obstacles.clear();
    this.stream.resume();
  }

  /**
   * Resolves when the stream has ended, or nothing has come for `quietMs` although it could: when the writer
   * is dead, somebody else may still hold its end of the pipe open.
   */
  quiet(quietMs: number): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.ended || (!this.moved && !this.stopped)) {
          resolve();
          return;
        }
        this.moved = false;
        setTimeout(check, quietMs);
      };
      if (this.ended) resolve();
      else this.stream.once('close', resolve).once('end', resolve);
      this.moved = true;
      check();
    });
  }

  private take(chunk: Buffer): void {
    if (this.ended) return;
    this.moved = true;
    const peer = this.sinks.peer();
    const back = this.sinks.back();
    // Frames that came together leave together.
    peer?.cork();
    back?.cork();
    for (const event of this.cutter.push(chunk)) {
      if (event.kind === 'line') this.line(event.bytes, event.framed);
    }
    peer?.uncork();
    back?.uncork();
    if (peer?.full === true) this.stop('peer is full');
    if (back?.flooded === true) this.stop('answers wait');
  }

  private finish(): void {
    if (this.ended) return;
    const rest = this.cutter.rest();
    if (rest.length > 0) this.line(rest, Buffer.concat([rest, newline]));
    this.ended = true;
    this.frames.ended();
  }

  private line(bytes: Buffer, framed: Buffer): void {
    const from = this.first && bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    this.first = false;
    const to = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
    const frame = bytes.subarray(from, to);
    if (isBlank(frame)) return;
    const line = to === bytes.length ? framed.subarray(from) : Buffer.concat([frame, newline]);
    this.frames.frame(frame, line);
  }
}

/** Writes until the stream breaks; what comes after that is dropped. */
export class Sink {
  broken = false;
  private unwritten = 0;
  private waiting: (() => void)[] = [];
  private readonly written = (): void => {
    this.unwritten--;
    this.settle();
  };

  /**
   * @param drained called when a full stream can take more, and once when it breaks.
   * @param broke called once when it breaks before it was ended from here.
   */
  constructor(
    private readonly stream: Writable,
    drained: () => void,
    broke: () => void,
  ) {
    const broken = (): void => {
      if (this.broken) return;
      this.broken = true;
      this.settle();
      if (!stream.writableEnded) broke();
      drained();
    };
    stream.on('drain', drained);
    stream.on('error', broken);
    stream.on('close', broken);
  }

  /** @returns false when the stream is full. */
  write(bytes: Buffer): boolean {
    if (this.broken || this.stream.writableEnded) return true;
    this.unwritten++;
    return this.stream.write(bytes, this.written);
  }

  get flooded(): boolean {
    return this.full && this.stream.writableLength > ownAnswersBytes;
  }

  get full(): boolean {
    return !this.broken && this.stream.writableNeedDrain;
  }

  get ended(): boolean {
    return this.broken || this.stream.writableEnded;
  }

  cork(): void {
    this.stream.cork();
  }

  uncork(): void {
    this.stream.uncork();
  }

  /** Resolves when all that was written has left, or the stream broke. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.settle();
    });
  }

  /** Ends the stream. Resolves when it has taken everything, or broke. */
  end(): Promise<void> {
    if (this.broken || this.stream.writableFinished) return Promise.resolve();
    return new Promise((resolve) => {
      this.stream.once('finish', resolve);
      this.stream.once('close', resolve);
      this.stream.once('error', () => resolve());
      this.stream.end();
    });
  }

  private settle(): void {
    if (this.unwritten > 0 && !this.broken) return;
    for (const resolve of this.waiting) resolve();
    this.waiting = [];
  }
}

function isBlank(frame: Buffer): boolean {
  for (const byte of frame) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
