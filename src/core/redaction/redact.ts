/**
 * Masks what looks like a secret before it is shown or stored (DESIGN §1, invariant 6).
 *
 * Invariant: a mask never swallows more than the run of token characters it was found on. A family chooses
 * its own arguments, so a mask that ran over spaces, quotes or shell syntax would be a place to hide code.
 */
import { keyHeader, longShape, longShapes, mayHoldShape, shortestShape, shortShapes } from './shapes.ts';

/** Options whose next argument is a secret. */
const secretOption = /^--?(?:password|passwd|passphrase|token|api-?key|secret|auth-token|access-token)$/iu;

/** What stands in a secret's place. It says how much it covers, and never what. */
export function mask(secret: string): string {
  return `[masked, ${[...secret].length} characters]`;
}

interface Run {
  readonly from: number;
  readonly to: number;
}

/** A private key's own lines, each a run by itself: what stands between two of them stays readable. */
const keyLine = /[A-Za-z0-9+/=]{16,}/gu;
const afterKey = /-----(?:BEGIN|END)|Private-MAC:|PuTTY-User/u;

function keyText(text: string): Run[] {
  const found: Run[] = [];
  if (!text.includes('PRIVATE KEY') && !text.includes('PuTTY-')) return found;
  for (const header of text.matchAll(keyHeader)) {
    const from = header.index + header[0].length;
    const rest = text.slice(from);
    const end = afterKey.exec(rest)?.index ?? rest.length;
    for (const line of rest.slice(0, end).matchAll(keyLine))
      found.push({ from: from + line.index, to: from + line.index + line[0].length });
  }
  return found;
}

function look(text: string, shapes: readonly RegExp[], found: Run[]): void {
  for (const shape of shapes) {
    for (const match of text.matchAll(shape)) {
      const secret = match.groups?.['s'];
      if (secret === undefined) continue;
      const from = match.index + match[0].lastIndexOf(secret);
      found.push({ from, to: from + secret.length });
    }
  }
}

/** Masks token shapes inside a text; other text is returned unchanged. */
export function redact(text: string): string {
  if (text.length < shortestShape || !mayHoldShape(text)) return text;
  const found: Run[] = keyText(text);
  look(text, shortShapes, found);
  if (text.length >= longShape) look(text, longShapes, found);
  if (found.length === 0) return text;
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  let shown = '';
  let at = 0;
  for (const { from, to } of found) {
    if (to <= at) continue;
    const start = Math.max(from, at);
    shown += text.slice(at, start) + mask(text.slice(start, to));
    at = to;
  }
  return shown + text.slice(at);
}

/** Masks the arguments of one command; knows options whose value is the next argument. Same length as given. */
export function redactArguments(argv: readonly string[]): readonly string[] {
  return argv.map((argument, index) => {
    const before = argv[index - 1];
    // Only what could be a token: text with spaces or shell syntax stays readable.
    if (before !== undefined && secretOption.test(before) && /^[\w.~+/=@:%!-]+$/u.test(argument)) {
      return mask(argument);
    }
    return redact(argument);
  });
}
