/** The relay's two ends of a stream: frames out of a readable, bytes into a writable, with back-pressure. */
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { Intake } from './intake.ts';

/** More of the relay's own answers than this waiting to be read stops reading from who causes them. */
const ownAnswersBytes = 1 << 20;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const newline = Buffer.from('\n');
const carriageReturn = 0x0d;

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

/**
 * Opens a stream that reads into memory it is given: `room` before each read, `took` after it (0 never comes).
 * The stream itself gives no data, only its end, and it is paused and resumed as others are.
 */
export type Opener = (into: { room(): Buffer; took(bytes: number): void }) => Readable;

/** Reads frames until the stream ends, and stops while any obstacle stands. */
export class Source {
  private readonly obstacles = new Set<Obstacle>();
  private readonly intake: Intake;
  private readonly stream: Readable;
  private first = true;
  private moved = false;
  private corked = false;
  ended = false;

  constructor(
    from: Readable | Opener,
    limitBytes: number,
    private readonly frames: Frames,
    private readonly sinks: Sinks,
  ) {
    const intake = new Intake(limitBytes, {
      line: (line, more) => this.line(line, more),
      overflow: (piece, end) => frames.overflow(piece, end),
      letGo: () => sinks.peer()?.letGo === true,
    });
    this.intake = intake;
    if (typeof from === 'function') {
      this.stream = from({ room: () => intake.room(), took: (bytes) => this.took(bytes) });
      this.stream.resume();
    } else {
      this.stream = from;
      from.on('data', (chunk: Buffer) => this.copy(chunk));
    }
    this.stream.on('end', () => this.finish());
    this.stream.on('error', () => this.finish());
    this.stream.on('close', () => this.finish());
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
        // Timers come before reading in a turn of the event loop: on a busy machine what waits is read first.
        setTimeout(() => setImmediate(check), quietMs);
      };
      if (this.ended) resolve();
      else this.stream.once('close', resolve).once('end', resolve);
      this.moved = true;
      check();
    });
  }

  private copy(chunk: Buffer): void {
    for (let from = 0; from < chunk.length && !this.ended;) {
      const bytes = chunk.copy(this.intake.room(), 0, from);
      from += bytes;
      this.took(bytes);
    }
  }

  private took(bytes: number): void {
    if (this.ended) return;
    this.moved = true;
    this.intake.took(bytes);
    const peer = this.sinks.peer();
    const back = this.sinks.back();
    if (this.corked) {
      this.corked = false;
      peer?.uncork();
      back?.uncork();
    }
    if (peer?.full === true) this.stop('peer is full');
    if (back?.flooded === true) this.stop('answers wait');
  }

  private finish(): void {
    if (this.ended) return;
    const rest = this.intake.rest();
    if (rest.length > 0) this.frame(Buffer.concat([rest, newline]));
    this.ended = true;
    this.frames.ended();
  }

  private line(line: Buffer, more: boolean): void {
    if (more && !this.corked) {
      // Frames that came together leave together.
      this.corked = true;
      this.sinks.peer()?.cork();
      this.sinks.back()?.cork();
    }
    this.frame(line);
  }

  private frame(line: Buffer): void {
    const end = line.length - 1;
    const from = this.first && line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    this.first = false;
    const to = line[end - 1] === carriageReturn ? end - 1 : end;
    const frame = line.subarray(from, to);
    if (isBlank(frame)) return;
    if (to !== end) this.frames.frame(frame, Buffer.concat([frame, newline]));
    else this.frames.frame(frame, from === 0 ? line : line.subarray(from));
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

  /**
   * True when the kernel has a copy of all that was written, so that its memory may change. Other streams than
   * sockets and pipes may pass the memory itself on.
   */
  get letGo(): boolean {
    return this.stream instanceof Socket && this.stream.writableLength === 0;
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
