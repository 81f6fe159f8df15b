/** What both directions of the relay share: who waits for what, and the ways to tell them. */
import { errorCode, type ErrorCode, type RequestId } from '../../protocol/jsonrpc.ts';
import { errorAnswer, pong, progressNotification } from './answers.ts';
import type { Sink } from './flow.ts';
import { Holds } from './holds.ts';
import { Requests, type Pending } from './requests.ts';

/** How a request ended, as the desk's wire says it. */
export type Outcome = 'result' | 'tool error' | 'error' | 'cancelled' | 'marked denied';

export interface ForwardedRequest {
  /** Ordinal in the session, from 1, over the client's requests other than `ping`. */
  readonly number: number;
  readonly method: string;
  /** The tool's name for `tools/call`; absent when it has none that is a string. */
  readonly tool?: string;
  /**
   * The tool's arguments (for other methods, and for a call without a name, all of `params`) exactly as
   * they go to the server; empty when there are none. As long as the frame: up to the relay's limit.
   */
  readonly argumentsJson: string;
}

export interface RelayEvents {
  /** A client request other than `ping` goes to the server now; called before its bytes are written. */
  request(request: ForwardedRequest): void;
  /** A request reported before has ended: answered, by whomever, or cancelled. Exactly one per request. */
  result(number: number, outcome: Outcome): void;
  /** `clientInfo` of `initialize`: the client's own claim, cut at 256 characters. */
  claims(name: string, version: string): void;
  /** The server's answer to `initialize` was passed on; an error answer counts too. */
  initialized(): void;
  /** The client's stdin ended or its stdout broke; once. */
  clientEnded(): void;
  /** Something was kept back, or does not belong: one line, bounded, control characters escaped. */
  fault(text: string): void;
}

const waitingText = 'Waiting for approval in Kinwatch';
/** Every fault is reported up to here, then only at each doubling: a flood of them must not be one of events. */
const faultsReported = 64;
const excerptLength = 160;
/** Error messages are for people: the end of stderr, not all of it. */
const tailLength = 4096;

export class Exchange {
  readonly requests = new Requests();
  readonly holds: Holds;
  /** Absent until a server is attached. */
  toServer: Sink | undefined;
  /** Why requests are answered with an error; set when the server has ended. */
  over: string | undefined;
  private faults = 0;

  constructor(
    readonly toClient: Sink,
    readonly events: RelayEvents,
    progressIntervalMs: number,
  ) {
    this.holds = new Holds(progressIntervalMs, (numbers) => this.tellWaiting(numbers));
  }

  /** @param late an answer of the server's may still come, and finds no taker. */
  settle(pending: Pending, outcome: Outcome, late: boolean): void {
    this.requests.remove(pending, late);
    if (outcome === 'cancelled' && pending.number !== undefined) this.holds.cancelled(pending.number);
    if (pending.number !== undefined) this.events.result(pending.number, outcome);
  }

  /** Answers a request in the server's place. */
  settleWithError(pending: Pending, code: ErrorCode, message: string): void {
    this.toClient.write(errorAnswer(pending.id, code, message));
    this.settle(pending, 'error', true);
  }

  hold(numbers: readonly number[]): () => void {
    const release = this.holds.add(numbers);
    // A server stopped in an exec cannot answer the pings it has already got either.
    for (const pending of this.requests.all()) if (pending.method === 'ping') this.pong(pending.id, pending);
    return release;
  }

  pong(id: RequestId, pending?: Pending): void {
    this.toClient.write(pong(id));
    if (pending !== undefined) this.requests.remove(pending, true);
  }

  fault(text: string, excerpt?: Buffer): void {
    this.faults++;
    const { faults } = this;
    // A power of two has a single bit.
    if (faults > faultsReported && (faults & (faults - 1)) !== 0) return;
    const count = faults > faultsReported ? ` (fault ${faults}; not all are reported)` : '';
    this.events.fault(`${text}${excerpt === undefined ? '' : `: ${quoted(excerpt)}`}${count}`);
  }

  private tellWaiting(numbers: ReadonlySet<number> | undefined): void {
    // A client that does not read would only find the same line many times over.
    if (this.toClient.full || this.toClient.ended) return;
    for (const pending of this.requests.all()) {
      const { number, wantsProgress, progress = 0 } = pending;
      if (number === undefined || wantsProgress === undefined || numbers?.has(number) === false) continue;
      // Progress must grow (MCP, "Progress"): a hair more than the last, so that the server's own still can.
      pending.progress = progress + Math.max(Math.abs(progress), 1) * 1e-6;
      this.toClient.write(progressNotification(wantsProgress, pending.progress, waitingText));
    }
  }
}

/** The text of the error that pending requests get when the server has ended. */
export function endedText(status: string, stderrTail: string): string {
  const tail = stderrTail.trim().slice(-tailLength);
  return `The server ended (${status}).${tail === '' ? '' : ` The end of its stderr:\n${tail}`}`;
}

/** What a message over the limit is answered with. */
export function tooLong(limitBytes: number): { readonly code: ErrorCode; readonly reason: string } {
  return { code: errorCode.invalidRequest, reason: `the message is longer than ${limitBytes} bytes` };
}

/** The beginning of foreign bytes in a form that cannot pose as anything else in a log or a view. */
function quoted(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, excerptLength * 4).slice(0, excerptLength);
  const escaped = JSON.stringify(text).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16) ?? ''}}`,
  );
  return text.length < bytes.length ? `${escaped} (${bytes.length} bytes)` : escaped;
}
