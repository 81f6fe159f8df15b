/** Small pieces of a card's sentences: names, paths and commands from a family, made safe and readable. */
import type { Argument } from '../facts.ts';
import { redact } from '../redaction/redact.ts';
import { hasHidden, visibleText } from './visible.ts';

export interface Part {
  readonly kind: 'text' | 'code';
  readonly text: string;
}

/** A sentence under construction; remembers whether anything in it was hidden, masked or shortened. */
export class Sentence {
  readonly parts: Part[] = [];
  /** False once a piece could not be shown whole. */
  whole = true;

  /** Words of ours. */
  say(text: string): this {
    const last = this.parts.at(-1);
    if (last?.kind === 'text') this.parts[this.parts.length - 1] = { kind: 'text', text: last.text + text };
    else this.parts.push({ kind: 'text', text });
    return this;
  }

  /** Text chosen by a family, shortened in the middle when it is longer than `longest` characters. */
  quote(text: string, longest = 60): this {
    const masked = redact(text);
    const shown = visibleText(masked);
    const short = shorten(shown, longest);
    if (masked !== text || hasHidden(masked) || short !== shown) this.whole = false;
    this.parts.push({ kind: 'code', text: short });
    return this;
  }

  toString(): string {
    return this.parts.map((part) => part.text).join('');
  }
}

/** Cuts the middle out; the ends carry the meaning (`…/runner/helper` keeps its name). */
export function shorten(text: string, longest: number): string {
  const characters = [...text];
  if (characters.length <= longest) return text;
  const tail = Math.ceil((longest - 1) * 0.6);
  const head = longest - 1 - tail;
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - tail).join('')}`;
}

/** One argument as text. Bytes that are not UTF-8 cannot be text and are written as escapes. */
export function argumentText(argument: Argument): { readonly text: string; readonly bytes: boolean } {
  if (typeof argument === 'string') return { text: argument, bytes: false };
  const text = [...decodeBase64(argument.base64)]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
  return { text, bytes: true };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Plain base64, as the wire's schema has checked it. `core/` has no decoder of a platform at hand. */
function* decodeBase64(base64: string): Generator<number> {
  let bits = 0;
  let held = 0;
  for (const character of base64) {
    const sextet = alphabet.indexOf(character);
    if (sextet === -1) continue;
    bits = ((bits << 6) | sextet) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    yield (bits >> held) & 0xff;
  }
}

/** As a shell would need it written, so that one argument reads as one. */
export function quoted(argument: string): string {
  if (/^[\w@%+=:,./~⟦⟧×-]+$/u.test(argument)) return argument;
  return `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}

/** `~` for the user's own home, when it is known; other paths stay as they are. */
export function homePath(path: string, home: string | undefined): string {
  if (home === undefined || home === '' || home === '/') return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** `1 argument`, `3 arguments`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** A time of the wire as a person reads it: `2026-03-12 13:48:02 UTC`. */
export function clock(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}
