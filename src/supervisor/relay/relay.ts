/**
 * The MCP stdio relay between the client's and the server's streams (MCP "Transports", stdio).
 *
 * Invariant: what was judged is byte for byte what goes on, in order; nothing is written anew. The
 * exceptions: a byte order mark at a stream's beginning, a carriage return before a newline and blank lines
 * are left out, a last frame without a newline gets one, and a result marked as denied is changed.
 */
import type { Readable, Writable } from 'node:stream';
import { ClientFrames } from './clientFrames.ts';
import { errorCode } from '../../protocol/jsonrpc.ts';
import { Exchange, endedText, type RelayEvents } from './exchange.ts';
import { Sink, Source, type Opener } from './flow.ts';
import { ServerFrames } from './serverFrames.ts';

export type { Opener } from './flow.ts';
export type { ForwardedRequest, Outcome, RelayEvents } from './exchange.ts';

const defaultLimitBytes = 64 << 20;
/** A dead server's stdout that somebody else holds open counts as ended after this long without a byte. */
const quietMs = 100;

export interface RelayOptions {
  readonly clientIn: Readable | Opener;
  readonly clientOut: Writable;
  readonly events: RelayEvents;
  /** Longest message either way. Default 64 MiB. */
  readonly maxFrameBytes?: number;
  /** Default 5,000. */
  readonly progressIntervalMs?: number;
}

/** A client request that the server has not answered yet. */
export interface InFlight {
  readonly number: number;
  readonly method: string;
  readonly tool?: string;
}

export class Relay {
  private readonly exchange: Exchange;
  private readonly toClient: Sink;
  private readonly clientFrames: ClientFrames;
  private readonly fromClient: Source;
  private fromServer: Source | undefined;
  private clientGone = false;
  private refusing = false;
  private ending: Promise<void> | undefined;
  /** Fulfilled when `initialize` was refused, or there is no client left to refuse it to. */
  private readonly refused: Promise<void>;
  private nothingToRefuse: () => void = () => undefined;

  /** Reads the client from here on. */
  constructor(private readonly options: RelayOptions) {
    this.refused = new Promise((resolve) => (this.nothingToRefuse = resolve));
    const drained = (): void => {
      this.fromServer?.go('peer is full');
      this.fromClient.go('answers wait');
    };
    this.toClient = new Sink(options.clientOut, drained, () => this.clientEnded());
    this.exchange = new Exchange(this.toClient, options.events, options.progressIntervalMs ?? 5000);
    this.clientFrames = new ClientFrames(this.exchange, this.limitBytes, {
      ended: () => this.clientEnded(),
      crowded: () => this.fromClient.stop('not attached'),
      initializeRefused: () => this.nothingToRefuse(),
    });
    this.fromClient = new Source(options.clientIn, this.limitBytes, this.clientFrames, {
      peer: () => this.exchange.toServer,
      back: () => this.toClient,
    });
  }

  /**
   * The server was launched: its pipes. Frames of the client that came before go on now, in order; until
   * then up to 1 MiB of them (and one frame more) is held, `ping` is answered and what is malformed refused.
   *
   * @throws when there is a server already, or the start was refused.
   */
  attach(serverIn: Writable, serverOut: Readable | Opener): void {
    if (this.exchange.toServer !== undefined || this.refusing) throw new Error('attached or refused before');
    const drained = (): void => {
      this.fromClient.go('peer is full');
      this.fromServer?.go('answers wait');
    };
    const broke = (): void => this.exchange.fault('the server closed its input');
    const toServer = new Sink(serverIn, drained, broke);
    this.exchange.toServer = toServer;
    const frames = new ServerFrames(this.exchange, this.limitBytes);
    this.fromServer = new Source(serverOut, this.limitBytes, frames, {
      peer: () => this.toClient,
      back: () => toServer,
    });
    this.clientFrames.forwardWaiting();
    if (toServer.full) this.fromClient.stop('peer is full');
    this.fromClient.go('not attached');
  }

  /** Requests in flight right now, in the order they were forwarded; pings are left out. */
  inFlight(): readonly InFlight[] {
    return this.exchange.requests
      .all()
      .flatMap(({ number, method, tool }) =>
        number === undefined ? [] : [{ number, method, ...(tool !== undefined && { tool }) }],
      );
  }

  /**
   * Something waits for a person. While anything is held the relay answers the client's `ping` itself (those
   * the server has not answered yet too) and sends progress for the requests that asked for it: at once, then
   * every interval. A hold whose requests were all cancelled ends by itself.
   *
   * @param numbers the requests that wait; empty: all that are in flight, whichever these are then.
   * @returns release; safe to call twice.
   */
  hold(numbers: readonly number[]): () => void {
    return this.exchange.hold(numbers);
  }

  /**
   * The result of this request becomes `isError: true` with `text` as its first content; the server's own
   * content follows. Several texts are joined. An error answer, and the result of another method than
   * `tools/call` (which has no place for it), pass unchanged. Nothing happens when it is not in flight.
   */
  markDenied(number: number, text: string): void {
    const pending = this.exchange.requests.numbered(number);
    if (pending === undefined) return;
    pending.denied = pending.denied === undefined ? text : `${pending.denied}\n${text}`;
  }

  /**
   * The start was not approved: `initialize` and every other request, whether it came or comes, is answered
   * with a JSON-RPC error that says `text`; notifications are dropped.
   *
   * @returns fulfilled when `initialize` has been answered and written out, or the client has gone. A client
   *   that never sends `initialize` keeps it waiting: the caller has a limit of its own.
   */
  async refuse(text: string): Promise<void> {
    if (this.exchange.toServer !== undefined) throw new Error('a server is attached');
    this.refusing = true;
    this.clientFrames.refuseAll(text);
    this.fromClient.go('not attached');
    await this.refused;
    await this.toClient.flushed();
  }

  /**
   * The server's process has ended. What it wrote before goes on first; then every pending request, in
   * order, is answered with a JSON-RPC error naming `status` and the end of its stderr, and `clientOut` ends.
   *
   * @returns fulfilled when the client has taken everything, or has gone.
   */
  serverEnded(status: string, stderrTail: string): Promise<void> {
    this.ending ??= this.endWith(endedText(status, stderrTail));
    return this.ending;
  }

  /** Closes the server's stdin once everything forwarded has been written: the first step of an orderly end. */
  endServerInput(): void {
    void this.exchange.toServer?.end();
  }

  private get limitBytes(): number {
    return this.options.maxFrameBytes ?? defaultLimitBytes;
  }

  private async endWith(text: string): Promise<void> {
    await this.fromServer?.quiet(quietMs);
    this.fromServer?.drop();
    this.exchange.over = text;
    this.exchange.holds.clear();
    for (const pending of this.exchange.requests.all()) {
      this.exchange.settleWithError(pending, errorCode.serverEnded, text);
    }
    this.clientFrames.endWaiting(text);
    // A client that still writes must not block before it has read why.
    this.fromClient.go('not attached');
    this.fromClient.go('peer is full');
    await this.toClient.end();
  }

  private clientEnded(): void {
    if (this.clientGone) return;
    this.clientGone = true;
    this.exchange.holds.clear();
    this.nothingToRefuse();
    this.options.events.clientEnded();
  }
}
