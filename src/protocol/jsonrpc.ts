/**
 * JSON text as bytes, and the JSON-RPC 2.0 codes and ids.
 *
 * Own scanner because every JSON parser looked at gives values: by then an id `9007199254740993` or `1.0`
 * and a duplicate key are gone, and parsing a large result only to find its id costs more than passing it
 * on. This one walks the bytes once, builds no tree, and accepts exactly what `JSON.parse` accepts, nested
 * at most {@link depthLimit} deep.
 */

/** JSON-RPC 2.0 §5.1; the last two from the range left to implementations. */
export const errorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  internalError: -32603,
  /** What MCP's SDKs use for a closed connection. */
  serverEnded: -32000,
  startRefused: -32010,
} as const;
export type ErrorCode = (typeof errorCode)[keyof typeof errorCode];

/** Deeper than any message in use; parsers of many languages give up earlier. */
export const depthLimit = 10_000;
/** Longest id, in bytes of its text: ids are remembered while requests run. */
export const idLimitBytes = 1024;

/** Half-open range of byte offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A request's id as it was written. */
export interface RequestId {
  /** The exact token, for answers. */
  readonly raw: string;
  /**
   * Equal for ids that no peer can tell apart: strings by value whatever their escapes, numbers by their
   * text. `"1"` and `1` differ, and so do `9007199254740993` and `9007199254740992`.
   */
  readonly key: string;
}

/** `undefined` for what is no id in MCP: null, booleans, objects, arrays, or longer than {@link idLimitBytes}. */
export function requestId(raw: string): RequestId | undefined {
  if (raw.length > idLimitBytes) return undefined;
  if (raw.startsWith('"')) {
    return { raw, key: raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw };
  }
  return /^[-\d]/.test(raw) ? { raw, key: raw } : undefined;
}

/** The text is not JSON, or is JSON that two readers may understand differently. Thrown by {@link JsonText}. */
export class UnsoundJson extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

const array = 0;
const object = 1;
/** An open container; a set holds the keys seen of an object whose keys must differ. */
type Open = typeof array | typeof object | Set<string>;

/** 1 for what stands for itself in a string: no control character, quote or backslash. */
const ordinary = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c ? 0 : 1,
);
/** 1 for what may stand behind a backslash by itself. */
const escapes = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0,
);
/** A run of ordinary bytes this long is looked at in words: in most large messages a few strings are nearly all. */
const longRun = 24;
const wordsWorthBytes = 4096;
const literals = ['true', 'false', 'null'].map((word) => Buffer.from(word));

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isHex = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/**
 * Walks one JSON text in valid UTF-8. Positions are byte offsets; each method takes where something starts
 * and returns where it ends, and throws {@link UnsoundJson}.
 */
export class JsonText {
  /** The same memory by four bytes; absent for short texts. The first word begins `wordsAt` bytes into the text. */
  private readonly words: Int32Array | undefined;
  private readonly wordsAt: number = 0;

  constructor(readonly bytes: Buffer) {
    if (bytes.length < wordsWorthBytes) return;
    this.wordsAt = -bytes.byteOffset & 3;
    this.words = new Int32Array(
      bytes.buffer,
      bytes.byteOffset + this.wordsAt,
      (bytes.length - this.wordsAt) >> 2,
    );
  }

  text(start: number, end: number): string {
    return this.bytes.toString(undefined, start, end);
  }

  /** -1 behind the end. */
  byte(at: number): number {
    return at < this.bytes.length ? (this.bytes[at] as number) : -1;
  }

  space(at: number): number {
    if ((this.bytes[at] ?? 0) > 0x20) return at;
    for (let i = at; ; i++) {
      const byte = this.byte(i);
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return i;
    }
  }

  /** Nothing but white space may follow. */
  finish(at: number): void {
    const end = this.space(at);
    if (end !== this.bytes.length) this.fail(end);
  }

  /**
   * @param member gets each key and where its value starts, and returns where it ends.
   * @param unique refuses a key that comes twice; `JSON.parse` would keep the last, others the first.
   */
  object(at: number, member: (key: string, at: number) => number, unique: boolean): number {
    const seen = unique ? new Set<string>() : undefined;
    let i = this.space(at + 1);
    if (this.byte(i) === 0x7d) return i + 1;
    for (;;) {
      const end = this.string(i);
      const key = this.key(i, end);
      if (seen?.has(key) === true) throw duplicate(key);
      seen?.add(key);
      i = this.space(member(key, this.colon(end)));
      if (this.byte(i) === 0x7d) return i + 1;
      if (this.byte(i) !== 0x2c) this.fail(i);
      i = this.space(i + 1);
    }
  }

  /** Any value, checked and passed over. @param unique as in {@link object}, at every depth. */
  skip(at: number, unique: boolean): number {
    const open: Open[] = [];
    let i = at;
    for (;;) {
      const byte = this.byte(i);
      if (byte === 0x7b || byte === 0x5b) {
        // The containers around the skipped value are few and counted by nobody.
        if (open.length >= depthLimit) {
          throw new UnsoundJson(errorCode.invalidRequest, `nested more than ${depthLimit} deep`);
        }
        const inner = this.space(i + 1);
        if (this.byte(inner) !== byte + 2) {
          const container = byte === 0x5b ? array : unique ? new Set<string>() : object;
          open.push(container);
          i = container === array ? inner : this.nextKey(inner, container);
          continue;
        }
        i = inner + 1;
      } else {
        i = byte === 0x22 ? this.string(i) : this.scalar(i);
      }
      // A value has ended: close what ends with it, or go on to the next value.
      for (;;) {
        const container = open.at(-1);
        if (container === undefined) return i;
        i = this.space(i);
        if (this.byte(i) === 0x2c) {
          i = this.space(i + 1);
          if (container !== array) i = this.nextKey(i, container);
          break;
        }
        if (this.byte(i) !== (container === array ? 0x5d : 0x7d)) this.fail(i);
        open.pop();
        i++;
      }
    }
  }

  /** A string, from its opening quote. */
  string(at: number): number {
    const { bytes, words } = this;
    const { length } = bytes;
    if (at >= length || bytes[at] !== 0x22) this.fail(at);
    let i = at + 1;
    for (;;) {
      // Nearly all bytes of a large message are read here: one look-up each, or one look for four.
      const stop = words === undefined ? length : Math.min(i + longRun, length);
      while (i < stop && ordinary[bytes[i] as number] === 1) i++;
      if (i === length) this.fail(i);
      if (i === stop) {
        i = this.run(i);
        continue;
      }
      const byte = bytes[i];
      if (byte === 0x22) return i + 1;
      if (byte !== 0x5c) this.fail(i);
      i = escapes[bytes[i + 1] ?? 0] === 1 ? i + 2 : this.escape(i + 1);
    }
  }

  /**
   * Passes over whole words of ordinary bytes; where it ends may be early, never late. It begins with the word that
   * holds the byte at `at`: the bytes before it in that word have been looked at.
   */
  private run(at: number): number {
    const words = this.words as Int32Array;
    let word = (at - this.wordsAt) >> 2;
    const from = word;
    for (; word < words.length; word++) {
      const bytes = words[word] as number;
      const quote = bytes ^ 0x22222222;
      const backslash = bytes ^ 0x5c5c5c5c;
      // The top bit of a byte of `(x - n) & ~x` is set where that byte is below n (Hacker's Delight, 6-1).
      const control = (bytes - 0x20202020) & ~bytes;
      const special = ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash);
      if (((control | special) & 0x80808080) !== 0) break;
    }
    return word === from ? at : this.wordsAt + word * 4;
  }

  fail(at: number): never {
    const what = at >= this.bytes.length ? 'it ends too early' : `unexpected text at byte ${at}`;
    throw new UnsoundJson(errorCode.parseError, `not JSON: ${what}`);
  }

  private escape(at: number): number {
    const byte = this.byte(at);
    if (byte !== 0x75) this.fail(at);
    for (let i = at + 1; i < at + 5; i++) if (!isHex(this.byte(i))) this.fail(i);
    return at + 5;
  }

  private nextKey(at: number, container: Open): number {
    const end = this.string(at);
    if (container instanceof Set) {
      const key = this.key(at, end);
      if (container.has(key)) throw duplicate(key);
      container.add(key);
    }
    return this.colon(end);
  }

  /** A key by value: `"\u0069d"` is `id`. */
  private key(at: number, end: number): string {
    const inner = this.text(at + 1, end - 1);
    return inner.includes('\\') ? String(JSON.parse(`"${inner}"`)) : inner;
  }

  private colon(at: number): number {
    if (this.bytes[at] === 0x3a) return this.space(at + 1);
    const i = this.space(at);
    if (this.byte(i) !== 0x3a) this.fail(i);
    return this.space(i + 1);
  }

  private scalar(at: number): number {
    const first = this.byte(at);
    if (first === 0x2d || isDigit(first)) return this.number(at);
    for (const word of literals) {
      if (word[0] !== first) continue;
      for (let i = 1; i < word.length; i++) if (this.byte(at + i) !== word[i]) this.fail(at + i);
      return at + word.length;
    }
    return this.fail(at);
  }

  private number(at: number): number {
    let i = this.byte(at) === 0x2d ? at + 1 : at;
    i = this.byte(i) === 0x30 ? i + 1 : this.digits(i);
    if (this.byte(i) === 0x2e) i = this.digits(i + 1);
    if ((this.byte(i) | 0x20) === 0x65) {
      const sign = this.byte(i + 1);
      i = this.digits(sign === 0x2b || sign === 0x2d ? i + 2 : i + 1);
    }
    return i;
  }

  private digits(at: number): number {
    let i = at;
    while (isDigit(this.byte(i))) i++;
    return i === at ? this.fail(i) : i;
  }
}

function duplicate(key: string): UnsoundJson {
  return new UnsoundJson(errorCode.invalidRequest, `the key ${JSON.stringify(key.slice(0, 64))} comes twice`);
}
