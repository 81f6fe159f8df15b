/** What the server says: passed to the client byte for byte, its answers noted. */
import { errorCode, type ErrorCode } from '../../protocol/jsonrpc.ts';
import { errorAnswer } from './answers.ts';
import { markedDenied } from './denial.ts';
import { tooLong, type Exchange, type Outcome } from './exchange.ts';
import type { Frames } from './flow.ts';
import { readMessage, type Message, type Result } from './message.ts';
import type { Pending } from './requests.ts';
import { Oversized, salvage, type Salvaged } from './salvage.ts';

type Answer = Extract<Message, { kind: 'answer' }>;

export class ServerFrames implements Frames {
  private readonly oversized: Oversized;

  constructor(
    private readonly exchange: Exchange,
    limitBytes: number,
  ) {
    const { code, reason } = tooLong(limitBytes);
    this.oversized = new Oversized((found) => this.refuseFrame(found, code, reason));
  }

  frame(bytes: Buffer, line: Buffer): void {
    const message = readMessage(bytes, 'server');
    if (message.kind === 'refused') {
      this.refuseFrame(salvage(bytes), message.code, message.reason, bytes);
    } else if (message.kind === 'answer') {
      this.answer(message, bytes, line);
    } else {
      if (message.method === 'notifications/progress') this.noteProgress(message);
      this.exchange.toClient.write(line);
    }
  }

  overflow(piece: Buffer, end: boolean): void {
    this.oversized.take(piece, end);
  }

  ended(): void {
    // Its end is told by `serverEnded`, with the status: stdout closes a little earlier.
  }

  /**
   * The one rule for answers nobody waits for: what the client has cancelled or the relay has answered is
   * dropped (strict clients reconnect over it); any other unknown id is passed on. Both are reported.
   */
  private answer({ id, result }: Answer, bytes: Buffer, line: Buffer): void {
    const { exchange } = this;
    const pending = id === undefined ? undefined : exchange.requests.find(id);
    if (pending === undefined) {
      const dropped = id !== undefined && exchange.requests.isSettled(id);
      if (!dropped) exchange.toClient.write(line);
      const what = dropped
        ? 'a late answer of the server was dropped'
        : 'the server answered what nobody asked';
      exchange.fault(what, bytes);
      return;
    }
    const { denied } = pending;
    if (denied !== undefined && result !== undefined && pending.method === 'tools/call') {
      exchange.toClient.write(markedDenied(line, result, denied));
      exchange.settle(pending, 'marked denied', false);
      return;
    }
    exchange.toClient.write(line);
    exchange.settle(pending, outcomeOf(pending, result), false);
    if (pending.method === 'initialize') exchange.events.initialized();
  }

  private noteProgress({ read }: Extract<Message, { kind: 'notification' | 'request' }>): void {
    const pending = read.progressToken && this.exchange.requests.withToken(read.progressToken);
    if (pending !== undefined && read.progress !== undefined) pending.progress = read.progress;
  }

  /** Nothing of a refused frame goes on; whoever waits for it is told. */
  private refuseFrame(found: Salvaged, code: ErrorCode, reason: string, bytes?: Buffer): void {
    const { exchange } = this;
    exchange.fault(`a line from the server was kept out of the stream (${reason})`, bytes);
    if (found.id === undefined) return;
    if (found.kind === 'request') {
      exchange.toServer?.write(errorAnswer(found.id, code, reason));
      return;
    }
    const pending = found.kind === 'unknown' ? undefined : exchange.requests.find(found.id);
    if (pending === undefined) return;
    const text = `The server's answer could not be passed on: ${reason}.`;
    exchange.settleWithError(pending, errorCode.internalError, text);
  }
}

function outcomeOf({ method }: Pending, result: Result | undefined): Outcome {
  if (result === undefined) return 'error';
  return method === 'tools/call' && result.isError?.value === true ? 'tool error' : 'result';
}
