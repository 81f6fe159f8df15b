/** One peer's line protocol: cutting, decoding, refusing, and a bound on what a slow peer may leave unread. */
import type { Socket } from 'node:net';
import { LineCutter } from '../protocol/lines.ts';
import { maxLineBytes } from '../protocol/desk.ts';

/** A peer that leaves more unread than this is dropped. */
const maxQueuedBytes = 8 * 1024 * 1024;
/** How long a closed connection may take to read its last line. */
const lastWordMs = 1_000;
/**
 * What only happened may wait this long for the next message to travel with: a family that starts hundreds of
 * programs a second costs its reviewers a few writes instead of thousands. Order is kept.
 */
const gatherMs = 25;
const gathered: ReadonlySet<string> = new Set(['birth', 'exec', 'connection', 'end', 'detached']);

/** What a connection tells its owner. */
export interface ConnectionListener {
  message(value: unknown): void;
  /** What came was no message; the connection is refused with this reason. */
  malformed(reason: string): void;
  closed(): void;
}

export class Connection {
  private readonly cutter = new LineCutter(maxLineBytes);
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private isOpen = true;
  private unsent = '';
  private flushing: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly listener: ConnectionListener,
  ) {
    socket.on('data', (chunk) => this.received(chunk));
    socket.on('error', () => undefined); // 'close' follows and says all that matters
    socket.on('close', () => this.ended());
  }

  /** Sends one message. A closed connection drops it. */
  send(message: { readonly kind: string }): void {
    if (!this.isOpen) return;
    // Looked at before this message: one large snapshot is no sign of a slow peer.
    if (this.socket.writableLength > maxQueuedBytes) {
      this.socket.destroy();
      this.ended();
      return;
    }
    this.unsent += `${JSON.stringify(message)}\n`;
    if (!gathered.has(message.kind)) this.flush();
    else this.flushing ??= setTimeout(() => this.flush(), gatherMs);
  }

  private flush(): void {
    clearTimeout(this.flushing);
    this.flushing = undefined;
    const text = this.unsent;
    this.unsent = '';
    if (text !== '') this.socket.write(text);
  }

  /** Says why and closes. Nothing of this peer is listened to any more. */
  refuse(reason: string): void {
    if (!this.isOpen) return;
    this.send({ kind: 'refused', reason } as { readonly kind: string });
    this.close();
  }

  close(): void {
    this.flush();
    this.socket.end();
    this.ended();
    // A peer that neither reads nor closes must not keep the desk from ending.
    const timer = setTimeout(() => this.socket.destroy(), lastWordMs);
    this.socket.once('close', () => clearTimeout(timer));
  }

  private received(chunk: Buffer): void {
    for (const event of this.cutter.push(chunk)) {
      if (!this.isOpen) return;
      if (event.kind === 'too long') {
        this.listener.malformed(`a line is longer than ${maxLineBytes} bytes; send less in one message`);
        return;
      }
      let value: unknown;
      try {
        value = JSON.parse(this.decoder.decode(event.bytes));
      } catch {
        // The parser's own words would repeat hostile bytes.
        this.listener.malformed('a line is not JSON in UTF-8; send one JSON object a line');
        return;
      }
      this.listener.message(value);
    }
  }

  private ended(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    clearTimeout(this.flushing);
    this.listener.closed();
  }
}
