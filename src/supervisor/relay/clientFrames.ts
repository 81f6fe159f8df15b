/** What the client says: judged, numbered, passed to the server byte for byte. */
import { errorCode, type ErrorCode } from '../../protocol/jsonrpc.ts';
import { errorAnswer } from './answers.ts';
import { tooLong, type Exchange } from './exchange.ts';
import type { Frames } from './flow.ts';
import { readMessage, type Message } from './message.ts';
import type { Pending } from './requests.ts';
import { Oversized, salvage, type Salvaged } from './salvage.ts';

type Request = Extract<Message, { kind: 'request' }>;

/** A frame that came before there was a server. */
interface Waiting {
  readonly message: Message;
  readonly bytes: Buffer;
  readonly line: Buffer;
}

/** Frames that wait for a server may take this much before the client is no longer read. */
const waitingLimitBytes = 1 << 20;

export interface ClientSigns {
  /** The client is gone: nothing more comes from it. */
  ended(): void;
  /** More waits for a server than should be held. */
  crowded(): void;
  initializeRefused(): void;
}

export class ClientFrames implements Frames {
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private refusal: string | undefined;
  private readonly oversized: Oversized;

  constructor(
    private readonly exchange: Exchange,
    limitBytes: number,
    private readonly signs: ClientSigns,
  ) {
    const { code, reason } = tooLong(limitBytes);
    this.oversized = new Oversized((found) => this.refuseFrame(found, code, reason));
  }

  frame(bytes: Buffer, line: Buffer): void {
    const message = readMessage(bytes, 'client');
    if (message.kind === 'refused') {
      this.refuseFrame(salvage(bytes), message.code, message.reason, bytes);
      return;
    }
    const { exchange } = this;
    if (message.kind === 'request' && message.method === 'initialize' && message.read.clientInfo) {
      exchange.events.claims(message.read.clientInfo.name, message.read.clientInfo.version);
    }
    if (this.refusal !== undefined) this.refuseStart(message, this.refusal);
    else if (exchange.over !== undefined) this.tooLate(message, exchange.over);
    else if (exchange.toServer !== undefined) this.forward(message, bytes, line);
    else if (message.kind === 'request' && message.method === 'ping') exchange.pong(message.id);
    else {
      this.waiting.push({ message, bytes, line });
      this.waitingBytes += line.length;
      if (this.waitingBytes > waitingLimitBytes) this.signs.crowded();
    }
  }

  overflow(piece: Buffer, end: boolean): void {
    this.oversized.take(piece, end);
  }

  ended(): void {
    this.signs.ended();
  }

  /** There is a server now: everything that waited goes on, in order. */
  forwardWaiting(): void {
    for (const { message, bytes, line } of this.takeWaiting()) this.forward(message, bytes, line);
  }

  /** There will be no server: everything that waited, and what still comes, is answered with an error. */
  refuseAll(text: string): void {
    this.refusal = text;
    for (const { message } of this.takeWaiting()) this.refuseStart(message, text);
  }

  /** The server ended before it was attached. */
  endWaiting(text: string): void {
    for (const { message } of this.takeWaiting()) this.tooLate(message, text);
  }

  private takeWaiting(): readonly Waiting[] {
    const { waiting } = this;
    this.waiting = [];
    this.waitingBytes = 0;
    return waiting;
  }

  private forward(message: Message, bytes: Buffer, line: Buffer): void {
    const { exchange } = this;
    const server = exchange.toServer;
    if (server === undefined || server.ended) {
      this.tooLate(message, 'The server takes no more messages.');
    } else if (message.kind === 'request') {
      if (exchange.requests.has(message.id)) {
        // Two answers to one id could not be told apart, nor could this error: so it carries no id.
        this.answerError(undefined, errorCode.invalidRequest, `the id ${message.id.raw} is in use`);
      } else if (message.method === 'ping' && exchange.holds.active) {
        exchange.pong(message.id);
      } else {
        this.announce(message, bytes);
        server.write(line);
      }
    } else {
      server.write(line);
      if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
        const id = message.read.requestId;
        const pending = id === undefined ? undefined : exchange.requests.find(id);
        if (pending !== undefined) exchange.settle(pending, 'cancelled', true);
      }
    }
  }

  private announce({ id, method, params, read }: Request, bytes: Buffer): void {
    const { requests, events } = this.exchange;
    const pending: Pending = { id, method };
    if (read.wantsProgress !== undefined) pending.wantsProgress = read.wantsProgress;
    if (method !== 'ping') pending.number = requests.nextNumber();
    const named = method === 'tools/call' && read.name !== undefined;
    if (named) pending.tool = read.name;
    requests.add(pending);
    if (pending.number === undefined) return;
    const shown = named ? read.arguments : params;
    const argumentsJson = shown === undefined ? '' : bytes.toString(undefined, shown.start, shown.end);
    const request = { number: pending.number, method, argumentsJson };
    events.request(named ? { ...request, tool: read.name } : request);
  }

  private refuseStart(message: Message, text: string): void {
    if (message.kind !== 'request') return;
    this.answerError(message, errorCode.startRefused, text);
    if (message.method === 'initialize') this.signs.initializeRefused();
  }

  private tooLate(message: Message, text: string): void {
    if (message.kind === 'request') this.answerError(message, errorCode.serverEnded, text);
  }

  /** Nothing of a refused frame goes on; whoever waits because of it is told. */
  private refuseFrame(found: Salvaged, code: ErrorCode, reason: string, bytes?: Buffer): void {
    const { exchange } = this;
    exchange.fault(`a message from the client was refused (${reason})`, bytes);
    if (found.kind === 'answer') {
      if (found.id !== undefined) exchange.toServer?.write(errorAnswer(found.id, code, reason));
      return;
    }
    const inUse = found.id !== undefined && exchange.requests.has(found.id);
    this.answerError(inUse ? undefined : found, code, reason);
  }

  private answerError(to: Pick<Salvaged, 'id'> | undefined, code: ErrorCode, text: string): void {
    this.exchange.toClient.write(errorAnswer(to?.id, code, text));
  }
}
