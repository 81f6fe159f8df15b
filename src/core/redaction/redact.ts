/**
 * Masks what looks like a secret before it is shown or stored (DESIGN §1, invariant 6).
 *
 * Invariant: a mask never swallows more than the run of token characters it was found on. A family chooses
 * its own arguments, so a mask that ran over spaces, quotes or shell syntax would be a place to hide code.
 */

const value = String.raw`[\w.~+/=-]`;
const secretWord = String.raw`(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization)`;

// Each shape has the secret as its only group, named `s`. Every quantifier is bounded, or begins where the run
// of its characters begins: a family chooses this text, and a pattern that is slow on it would hold up the desk.
const shapes: readonly RegExp[] = [
  new RegExp(String.raw`\b(?:bearer|basic)\s{1,8}(?<s>${value}{8,})`, 'giu'),
  /\b(?<s>gh[opsur]_[A-Za-z0-9]{16,}|github_pat_\w{16,})/gu,
  /\b(?<s>glpat-[\w-]{16,})/gu,
  /\b(?<s>sk-[\w-]{16,})/gu,
  /\b(?<s>xox[abeoprs]-[\w-]{10,})/gu,
  /\b(?<s>(?:AKIA|ASIA)[A-Z0-9]{16})\b/gu,
  /\b(?<s>npm_[A-Za-z0-9]{30,})/gu,
  /(?<![\w-])(?<s>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/gu,
  // The password of a URL's user part.
  /:\/\/[^\s/@:'"]{0,256}:(?<s>[^\s/@'"$`;|&<>()]{1,256})@/gu,
  new RegExp(
    String.raw`${secretWord}[\w.-]{0,40}["']?\s{0,8}[=:]\s{0,8}["']?(?!(?:bearer|basic)\s)(?<s>${value}{6,})`,
    'giu',
  ),
];

/** What every text with one of the shapes has somewhere. Most texts have none of it, and one look says so. */
const mayHoldShape = new RegExp(
  String.raw`(?:bearer|basic)\s|gh[opsur]_|github_pat_|glpat-|sk-|xox|A[KS]IA|npm_|eyJ|:\/\/|${secretWord}`,
  'iu',
);

/** `://:x@`: nothing shorter holds a shape. A family may send tens of thousands of short arguments. */
const shortestShape = 6;

/** Options whose next argument is a secret. */
const secretOption = /^--?(?:password|passwd|passphrase|token|api-?key|secret|auth-token|access-token)$/iu;

/** What stands in a secret's place. It says how much it covers, and never what. */
export function mask(secret: string): string {
  return `[masked, ${[...secret].length} characters]`;
}

/** Masks token shapes inside a text; other text is returned unchanged. */
export function redact(text: string): string {
  if (text.length < shortestShape || !mayHoldShape.test(text)) return text;
  const found: { readonly from: number; readonly to: number }[] = [];
  for (const shape of shapes) {
    for (const match of text.matchAll(shape)) {
      const secret = match.groups?.['s'];
      if (secret === undefined) continue;
      const from = match.index + match[0].lastIndexOf(secret);
      found.push({ from, to: from + secret.length });
    }
  }
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

/** True when a variable of this name is expected to hold a credential. */
export function namesSecret(name: string): boolean {
  return new RegExp(secretWord, 'iu').test(name) || /(?:^|_)(?:PAT|AUTH|KEY)$/u.test(name);
}
