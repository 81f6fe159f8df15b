/**
 * Whom to tell about a message that cannot be passed on (too long, or refused): its id and kind, found
 * without holding it and without asking that it be valid. SDKs write `id` last, so the whole text is walked.
 */
import { idLimitBytes, requestId, type RequestId } from '../../protocol/jsonrpc.ts';

const keyLimitBytes = 64;

export interface Salvaged {
  /** Absent when there is none, it came twice or it is no id. */
  readonly id?: RequestId;
  /** `both`: it has the keys of a request and of an answer. */
  readonly kind: 'request' | 'answer' | 'both' | 'unknown';
}

export class Salvage {
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** Bytes of the key or id being read at the top level; `undefined` while nothing is kept. */
  private kept: number[] | undefined;
  private keyNext = false;
  private key = '';
  private ids: string[] = [];
  private kind: Salvaged['kind'] = 'unknown';

  /** The next piece of the text, in order. Nothing of it is kept but short copies. */
  feed(piece: Buffer): void {
    for (const byte of piece) {
      if (this.inString) this.inside(byte);
      else this.outside(byte);
    }
  }

  /** What is known so far. Final once the text has ended; before that the id may still come twice. */
  found(): Salvaged {
    const [raw] = this.ids;
    const id = raw === undefined || this.ids.length > 1 ? undefined : requestId(raw);
    return { kind: this.kind, ...(id !== undefined && { id }) };
  }

  private inside(byte: number): void {
    this.keep(byte);
    if (this.escaped) this.escaped = false;
    else if (byte === 0x5c) this.escaped = true;
    else if (byte === 0x22) {
      this.inString = false;
      if (this.depth === 1 && this.keyNext) {
        this.key = this.taken();
        this.keyNext = false;
        if (this.key === '"method"') this.is('request');
        if (this.key === '"result"' || this.key === '"error"') this.is('answer');
      }
    }
  }

  private outside(byte: number): void {
    switch (byte) {
      case 0x22:
        this.inString = true;
        if (this.depth === 1 && this.keyNext) this.kept = [];
        this.keep(byte);
        return;
      case 0x7b:
      case 0x5b:
        this.depth++;
        if (this.depth === 1) this.keyNext = byte === 0x7b;
        this.keep(byte);
        return;
      case 0x3a:
        if (this.depth === 1 && this.key === '"id"') this.kept = [];
        return;
      case 0x7d:
      case 0x5d:
      case 0x2c:
        if (this.depth === 1) this.endMember();
        if (byte !== 0x2c) this.depth--;
        else if (this.depth === 1) this.keyNext = true;
        return;
      default:
        if (byte > 0x20) this.keep(byte);
    }
  }

  private endMember(): void {
    if (this.key === '"id"') this.ids.push(this.taken());
    this.key = '';
    this.kept = undefined;
  }

  private is(kind: 'request' | 'answer'): void {
    this.kind = this.kind === 'unknown' || this.kind === kind ? kind : 'both';
  }

  private keep(byte: number): void {
    if (this.kept === undefined) return;
    const limit = this.keyNext ? keyLimitBytes : idLimitBytes + 1;
    if (this.kept.length < limit) this.kept.push(byte);
  }

  private taken(): string {
    const text = Buffer.from(this.kept ?? []).toString('utf8');
    this.kept = undefined;
    return text;
  }
}

/** {@link Salvage} of a text at hand. */
export function salvage(text: Buffer): Salvaged {
  const search = new Salvage();
  search.feed(text);
  return search.found();
}

/** Tells once about each message over the limit: as soon as id and kind are known, at the latest at its end. */
export class Oversized {
  private search = new Salvage();
  private told = false;

  constructor(private readonly tell: (found: Salvaged) => void) {}

  take(piece: Buffer, end: boolean): void {
    if (!this.told) {
      this.search.feed(piece);
      const found = this.search.found();
      this.told = end || (found.id !== undefined && found.kind !== 'unknown');
      if (this.told) this.tell(found);
    }
    if (!end) return;
    this.search = new Salvage();
    this.told = false;
  }
}
