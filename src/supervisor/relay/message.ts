/** What the relay understands of one message: which kind it is, whose answer, and what a reviewer is shown. */
import { isUtf8 } from 'node:buffer';
import { JsonText, UnsoundJson, errorCode, idLimitBytes, requestId } from '../../protocol/jsonrpc.ts';
import type { ErrorCode, Range, RequestId } from '../../protocol/jsonrpc.ts';

/** The members of `params` that mean something to the relay; absent when missing or of another type. */
export interface Params {
  readonly name?: string;
  readonly arguments?: Range;
  /** `_meta.progressToken`, what the asker wants progress under. */
  readonly wantsProgress?: RequestId;
  /** `progressToken` and `progress` of a progress notification. */
  readonly progressToken?: RequestId;
  readonly progress?: number;
  /** `requestId` of a cancellation. */
  readonly requestId?: RequestId;
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

export interface Result extends Range {
  /** False when the result is something else, which no method of MCP returns. */
  readonly isObject: boolean;
  readonly isError?: Range & { readonly value: boolean };
  readonly content?: Range & { readonly isArray: boolean };
}

export type Message =
  | {
      readonly kind: 'request';
      readonly id: RequestId;
      readonly method: string;
      readonly params?: Range;
      readonly read: Params;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly read: Params }
  /** `id` is absent for an answer to what could not be read (`null`); `result` is absent for an error. */
  | { readonly kind: 'answer'; readonly id?: RequestId; readonly result?: Result };

export type Reading =
  | Message
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly reason: string };

/** A client's claims are shown, never trusted; what is longer is cut. */
const claimLength = 256;
const topNames = ['id', 'method', 'params', 'result', 'error', 'jsonrpc'];
const callNames = ['name', 'arguments'];

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads one frame.
 *
 * Invariant: what is read here is what any conforming peer reads from the same bytes. A key that comes
 * twice is refused (from the client anywhere in `params`, so that arguments mean what the card showed; from
 * the server among the keys the relay looks at), and so is one that a case-insensitive reader would take
 * for another (Go's `encoding/json`).
 */
export function readMessage(bytes: Buffer, from: 'client' | 'server'): Reading {
  if (!isUtf8(bytes)) return { kind: 'refused', code: errorCode.parseError, reason: 'not UTF-8' };
  try {
    return new Reader(bytes, from === 'client').message();
  } catch (error) {
    if (error instanceof UnsoundJson) return { kind: 'refused', code: error.code, reason: error.message };
    throw error;
  }
}

class Reader {
  private readonly json: JsonText;
  private id: { raw: string; id: RequestId | undefined } | undefined;
  /** `null` when there is one that is no string. */
  private method: string | null | undefined;
  private params: Range | undefined;
  private readonly read: Writable<Params> = {};
  private result: Result | undefined;
  private failed = false;
  /** A key of `params` that some readers take for one of a call's. */
  private lookalike: string | undefined;

  constructor(
    bytes: Buffer,
    private readonly unique: boolean,
  ) {
    this.json = new JsonText(bytes);
  }

  message(): Message {
    const { json } = this;
    const start = json.space(0);
    if (json.byte(start) !== 0x7b) {
      json.finish(json.skip(start, false));
      invalid(json.byte(start) === 0x5b ? 'a batch; send one message at a time' : 'not an object');
    }
    json.finish(json.object(start, (key, at) => this.top(key, at), true));
    return this.judge();
  }

  private judge(): Message {
    const answers = this.result !== undefined || this.failed;
    if (this.method === undefined) {
      if (!answers || this.id === undefined) invalid('neither a request, a notification nor an answer');
      if (this.result !== undefined && this.failed) invalid('both a result and an error');
      const { id, raw } = this.id;
      if (id === undefined && raw !== 'null') invalid('the id is neither a string nor a number');
      const answer: Writable<Extract<Message, { kind: 'answer' }>> = { kind: 'answer' };
      if (id !== undefined) answer.id = id;
      if (this.result !== undefined) answer.result = this.result;
      return answer;
    }
    if (answers) invalid('both a request and an answer');
    if (this.method === null) invalid('the method is not a string of ordinary length');
    const { method, read } = this;
    if (method === 'tools/call' && this.lookalike !== undefined) {
      invalid(`the key ${JSON.stringify(this.lookalike)} can be taken for another`);
    }
    if (this.id === undefined) return { kind: 'notification', method, read };
    const { id } = this.id;
    if (id === undefined) invalid('the id is neither a string nor a number of ordinary length');
    return this.params === undefined
      ? { kind: 'request', id, method, read }
      : { kind: 'request', id, method, read, params: this.params };
  }

  private top(key: string, at: number): number {
    switch (key) {
      case 'id': {
        const end = this.json.skip(at, false);
        const raw = end - at > idLimitBytes ? '' : this.json.text(at, end);
        this.id = { raw, id: requestId(raw) };
        return end;
      }
      case 'method': {
        const [end, method] = this.string(at);
        this.method = method ?? null;
        return end;
      }
      case 'params': {
        const end = this.object(at, (name, value) => this.param(name, value));
        this.params = { start: at, end };
        return end;
      }
      case 'result':
        return this.resultAt(at);
      case 'error':
        this.failed = true;
        return this.json.skip(at, false);
      default:
        if (looksLike(key, topNames)) {
          invalid(`the key ${JSON.stringify(key)} can be taken for another`);
        }
        return this.json.skip(at, false);
    }
  }

  private param(key: string, at: number): number {
    const { read } = this;
    switch (key) {
      case 'name': {
        const [end, name] = this.string(at);
        if (name !== undefined) read.name = name;
        return end;
      }
      case 'arguments': {
        const end = this.json.skip(at, this.unique);
        read.arguments = { start: at, end };
        return end;
      }
      case '_meta':
        return this.object(at, (name, value) => {
          if (name !== 'progressToken') return this.json.skip(value, this.unique);
          return this.token(value, (token) => (read.wantsProgress = token));
        });
      case 'progressToken':
        return this.token(at, (token) => (read.progressToken = token));
      case 'requestId':
        return this.token(at, (token) => (read.requestId = token));
      case 'progress': {
        const end = this.json.skip(at, this.unique);
        const value = Number(end - at > 32 ? Number.NaN : this.json.text(at, end));
        if (Number.isFinite(value)) read.progress = value;
        return end;
      }
      case 'clientInfo': {
        const claims = { name: '', version: '' };
        read.clientInfo = claims;
        return this.object(at, (name, value) => {
          if (name !== 'name' && name !== 'version') return this.json.skip(value, this.unique);
          const [end, text] = this.string(value, Number.POSITIVE_INFINITY);
          claims[name] = text?.slice(0, claimLength) ?? '';
          return end;
        });
      }
      default:
        if (looksLike(key, callNames)) this.lookalike = key;
        return this.json.skip(at, this.unique);
    }
  }

  private resultAt(at: number): number {
    const { json } = this;
    const found: Writable<Result> = { start: at, end: at, isObject: json.byte(at) === 0x7b };
    found.end = this.object(
      at,
      (key, value) => {
        const stop = json.skip(value, false);
        if (key === 'isError' || key === 'content') {
          if (found[key] !== undefined) invalid(`the key "${key}" comes twice`);
          const first = json.byte(value);
          if (key === 'content') found.content = { start: value, end: stop, isArray: first === 0x5b };
          else found.isError = { start: value, end: stop, value: first === 0x74 };
        }
        return stop;
      },
      false,
    );
    this.result = found;
    return found.end;
  }

  private object(at: number, member: (key: string, at: number) => number, unique = this.unique): number {
    return this.json.byte(at) === 0x7b ? this.json.object(at, member, unique) : this.json.skip(at, unique);
  }

  private token(at: number, found: (token: RequestId) => void): number {
    const end = this.json.skip(at, this.unique);
    const token = end - at > idLimitBytes ? undefined : requestId(this.json.text(at, end));
    if (token !== undefined) found(token);
    return end;
  }

  /** A string by value; `undefined` when it is none, or longer than a name ever is. */
  private string(at: number, limitBytes = idLimitBytes): [end: number, value?: string] {
    const end = this.json.skip(at, this.unique);
    if (this.json.byte(at) !== 0x22 || end - at > limitBytes) return [end];
    const inner = this.json.text(at + 1, end - 1);
    return [end, inner.includes('\\') ? String(JSON.parse(`"${inner}"`)) : inner];
  }
}

function looksLike(key: string, names: readonly string[]): boolean {
  // Go folds U+017F to "s" and U+212A to "k" too; toLowerCase does the second only.
  const folded = key.length <= 9 ? key.toLowerCase().replaceAll('ſ', 's') : key;
  return folded !== key && names.includes(folded);
}

function invalid(reason: string): never {
  throw new UnsoundJson(errorCode.invalidRequest, reason);
}
