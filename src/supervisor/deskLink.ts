/** The supervisor's connection to the desk. Knows when what it sent has left this process. */
import { createConnection, type Socket } from 'node:net';
import { LineCutter } from '../protocol/lines.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import { readToSupervisor, type ToSupervisor } from '../protocol/toSupervisor.ts';

/** Decisions and texts only: nothing the desk says to a supervisor is large. */
const maxLineBytes = 1024 * 1024;
/**
 * What happened and holds nothing up may wait this long for the next message to travel with: a program that lives a
 * millisecond costs the desk one wake-up instead of five. Births too (DESIGN invariant 1 allows them 50 ms), and a
 * release takes along what came before it.
 */
const batchMs = 10;
const batched: ReadonlySet<FromSupervisor['kind']> = new Set([
  'birth',
  'exec',
  'end',
  'detached',
  'request',
  'result',
  'connection',
]);
/** How long an end waits for a desk that reads nothing more. */
const lastWordMs = 5000;

export interface DeskLinkEvents {
  connected(): void;
  message(message: ToSupervisor): void;
  /** Told once: refused, closed or broken. `reason` names which; `misunderstood`: what came was no message of a desk. */
  lost(reason: string, code: string | undefined, misunderstood: boolean): void;
}

export class DeskLink {
  private readonly socket: Socket;
  private readonly lines = new LineCutter(maxLineBytes);
  private over = false;
  private batch = '';
  private flushing: NodeJS.Timeout | undefined;

  constructor(
    socketPath: string,
    private readonly events: DeskLinkEvents,
  ) {
    this.socket = createConnection(socketPath);
    this.socket.on('connect', () => events.connected());
    this.socket.on('data', (chunk) => this.receive(chunk));
    this.socket.on('error', (error: NodeJS.ErrnoException) => this.lose(error.message, error.code, false));
    this.socket.on('close', () => this.lose('the desk closed the connection', undefined, false));
  }

  /**
   * Invariant: what was sent before is sent first. `handed` runs once these bytes have left this process: at
   * once when the kernel took them, later when the desk is slow. It never runs when the link is lost.
   */
  send(message: FromSupervisor, handed?: () => void): void {
    if (this.over) return;
    this.batch += `${JSON.stringify(message)}\n`;
    if (handed === undefined && batched.has(message.kind)) {
      this.flushing ??= setTimeout(() => this.flush(), batchMs);
      return;
    }
    if (handed === undefined) {
      this.flush();
      return;
    }
    let done = false;
    const once = (): void => {
      if (done || this.over) return;
      done = true;
      handed();
    };
    this.flush((error) => {
      if (error === undefined || error === null) once();
    });
    // The kernel takes most writes whole, within the call: no need to wait a turn of the event loop.
    if (this.socket.writableLength === 0) once();
  }

  private flush(written?: (error?: Error | null) => void): void {
    clearTimeout(this.flushing);
    this.flushing = undefined;
    const bytes = this.batch;
    this.batch = '';
    if (bytes !== '') this.socket.write(bytes, written);
  }

  /**
   * Resolves when everything sent has left this process, the link is lost, or the desk does not read on. What has left
   * is the desk's to read even when this process is gone.
   */
  async end(): Promise<void> {
    if (this.over) return;
    this.flush();
    await new Promise<void>((resolve) => {
      const late = setTimeout(() => this.socket.destroy(), lastWordMs);
      const done = (): void => {
        clearTimeout(late);
        resolve();
      };
      this.socket.once('close', done);
      this.socket.end(done);
    });
  }

  /** Ends it at once, as lost. */
  abandon(reason: string): void {
    this.socket.destroy();
    this.lose(reason, undefined, true);
  }

  private receive(chunk: Buffer): void {
    for (const event of this.lines.push(chunk)) {
      if (this.over) return;
      if (event.kind === 'too long') return this.abandon('the desk sent a line that is too long');
      const parsed = parse(event.bytes);
      if (parsed === undefined)
        return this.abandon('the desk sent a message that this version does not know');
      this.events.message(parsed);
    }
  }

  private lose(reason: string, code: string | undefined, misunderstood: boolean): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.flushing);
    this.events.lost(reason, code, misunderstood);
  }
}

function parse(line: Buffer): ToSupervisor | undefined {
  try {
    return readToSupervisor(JSON.parse(line.toString('utf8')));
  } catch {
    return undefined; // not JSON: the caller closes the link
  }
}
