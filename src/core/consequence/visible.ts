/**
 * Makes text from a family safe to read: what a screen would hide, reorder or stretch is written as a token.
 * Used for every value a card shows, and by the panel for the rich view of the same text.
 *
 * Invariant: the pieces of {@link visible} lose nothing: the text pieces and the code points named by the
 * tokens, in order, are the input. {@link visibleText} is injective, because its brackets are tokens too.
 */

/** A stretch of ordinary text, or one thing that could not be seen as itself. */
export interface VisiblePiece {
  readonly kind: 'text' | 'token';
  /** For a token a short label: `ZWSP`, `SPACE ×120`, `U+E0041`. */
  readonly text: string;
  /** For a token its full name, for a tooltip or a screen reader: `U+200B zero width space`, `120 spaces`. */
  readonly name?: string;
}

/** `line`: line feeds and tabs are tokens too. `block`: they stay, for text that is shown as lines. */
export type VisibleLayout = 'line' | 'block';

/** Shorter runs of spaces are ordinary (indented code); longer ones push text out of view. */
const longestSpaceRun = 15;
/** More marks than this on one base reach into neighbouring lines. */
const mostMarks = 4;

/** Unicode names of what is met in attacks; everything else is shown by its number. */
const known: ReadonlyMap<number, readonly [label: string, name: string]> = new Map([
  [0x00, ['NUL', 'null']],
  [0x07, ['BEL', 'bell']],
  [0x08, ['BS', 'backspace']],
  [0x09, ['TAB', 'tab']],
  [0x0a, ['LF', 'line feed']],
  [0x0b, ['VT', 'vertical tab']],
  [0x0c, ['FF', 'form feed']],
  [0x0d, ['CR', 'carriage return']],
  [0x1b, ['ESC', 'escape, begins a terminal sequence']],
  [0x7f, ['DEL', 'delete']],
  [0x85, ['NEL', 'next line']],
  [0x9b, ['CSI', 'control sequence introducer']],
  [0xa0, ['NBSP', 'no-break space']],
  [0xad, ['SHY', 'soft hyphen']],
  [0x034f, ['CGJ', 'combining grapheme joiner']],
  [0x061c, ['ALM', 'arabic letter mark']],
  [0x200b, ['ZWSP', 'zero width space']],
  [0x200c, ['ZWNJ', 'zero width non-joiner']],
  [0x200d, ['ZWJ', 'zero width joiner']],
  [0x200e, ['LRM', 'left-to-right mark']],
  [0x200f, ['RLM', 'right-to-left mark']],
  [0x2028, ['LSEP', 'line separator']],
  [0x2029, ['PSEP', 'paragraph separator']],
  [0x202a, ['LRE', 'left-to-right embedding']],
  [0x202b, ['RLE', 'right-to-left embedding']],
  [0x202c, ['PDF', 'pop directional formatting']],
  [0x202d, ['LRO', 'left-to-right override']],
  [0x202e, ['RLO', 'right-to-left override']],
  [0x202f, ['NNBSP', 'narrow no-break space']],
  [0x2060, ['WJ', 'word joiner']],
  [0x2066, ['LRI', 'left-to-right isolate']],
  [0x2067, ['RLI', 'right-to-left isolate']],
  [0x2068, ['FSI', 'first strong isolate']],
  [0x2069, ['PDI', 'pop directional isolate']],
  [0x3000, ['IDSP', 'ideographic space']],
  [0x3164, ['HF', 'hangul filler']],
  [0xfeff, ['BOM', 'zero width no-break space']],
]);

/** Tokens' own brackets: a family that writes one must not be able to write a token. */
const open = '\u27e6';
const close = '\u27e7';

// Controls, format characters, surrogates, private use, unassigned; separators other than the space; whatever
// a renderer may leave out (variation selectors, fillers, the tags block); the blank braille cell.
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u27e6\u27e7]|(?! )\p{Zs}/u;
/** Most text by far; told apart first because the rest is read character by character. */
const plainAscii = /^[ -~]*$/u;
const tooManySpaces = ' '.repeat(longestSpaceRun + 1);
const mark = /\p{M}/u;
const pictograph = /\p{Extended_Pictographic}/u;

function token(codePoint: number): VisiblePiece {
  const number = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  const entry = known.get(codePoint);
  return entry === undefined
    ? { kind: 'token', text: number, name: number }
    : { kind: 'token', text: entry[0], name: `${number} ${entry[1]}` };
}

/** Cuts text into what may be shown as it is and tokens for the rest. Empty text has no pieces. */
export function visible(text: string, layout: VisibleLayout = 'line'): readonly VisiblePiece[] {
  if (plainAscii.test(text) && !text.includes(tooManySpaces))
    return text === '' ? [] : [{ kind: 'text', text }];
  const pieces: VisiblePiece[] = [];
  let plain = '';
  let marks = 0;
  let spaces = 0;
  let previous = '';
  const flush = (): void => {
    if (plain !== '') pieces.push({ kind: 'text', text: plain });
    plain = '';
  };
  const flushSpaces = (): void => {
    if (spaces > longestSpaceRun) {
      flush();
      pieces.push({ kind: 'token', text: `SPACE ×${spaces}`, name: `${spaces} spaces` });
    } else {
      plain += ' '.repeat(spaces);
    }
    spaces = 0;
  };
  for (const character of text) {
    if (character === ' ') {
      spaces += 1;
      marks = 0;
      previous = character;
      continue;
    }
    flushSpaces();
    marks = mark.test(character) ? marks + 1 : 0;
    if (isShown(character, previous, marks, plain === '', layout)) {
      plain += character;
    } else {
      flush();
      pieces.push(token(character.codePointAt(0) ?? 0));
    }
    previous = character;
  }
  flushSpaces();
  flush();
  return pieces;
}

function isShown(
  character: string,
  previous: string,
  marks: number,
  first: boolean,
  layout: VisibleLayout,
): boolean {
  if (layout === 'block' && (character === '\n' || character === '\t')) return true;
  // Emoji presentation: an ordinary picture is followed by one of these.
  if (character === '\ufe0f' || character === '\ufe0e')
    return !first && marks === 1 && pictograph.test(previous);
  if (hidden.test(character)) return false;
  // A mark without a base of its own would join what stands before this text on the screen.
  return marks === 0 || (marks <= mostMarks && !first);
}

/** The same as one string, tokens in brackets: `a⟦ZWSP⟧b`. */
export function visibleText(text: string, layout: VisibleLayout = 'line'): string {
  return visible(text, layout)
    .map((piece) => (piece.kind === 'text' ? piece.text : `${open}${piece.text}${close}`))
    .join('');
}

/** True when {@link visible} had to write a token. */
export function hasHidden(text: string, layout: VisibleLayout = 'line'): boolean {
  return visible(text, layout).some((piece) => piece.kind === 'token');
}
