import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { hasHidden, visible, visibleText } from '../../../src/core/consequence/visible.ts';

/** Undoes {@link visible}: what the pieces say must be the whole input. */
function restore(text: string): string {
  return visible(text)
    .map((piece) => {
      if (piece.kind === 'text') return piece.text;
      const spaces = /^(\d+) spaces$/u.exec(piece.name ?? '')?.[1];
      if (spaces !== undefined) return ' '.repeat(Number(spaces));
      return String.fromCodePoint(Number.parseInt(/^U\+([0-9A-F]+)/u.exec(piece.name ?? '')?.[1] ?? '', 16));
    })
    .join('');
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        '\u202e',
        '\u200b',
        '\u2066',
        '\ufe0f',
        '\u{e0041}',
        '\u{e0100}',
        '\x1b',
        '\x9b',
        '\x00',
        '\ud800',
      ),
      fc.constantFrom(
        '\u0301',
        '\u{1f600}',
        ' ',
        ' '.repeat(20),
        '⟦',
        '⟧',
        'a',
        '\n',
        '\u00a0',
        '\u2028',
        '\u3164',
      ),
    ),
  }),
);

test('the pieces lose nothing', () => {
  fc.assert(fc.property(nasty, (text) => restore(text) === text));
});

test('no hidden character survives as text', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      for (const piece of visible(text)) {
        if (piece.kind === 'token') continue;
        const bare = piece.text.replaceAll(/\p{Extended_Pictographic}[\ufe0e\ufe0f]/gu, '');
        assert.doesNotMatch(bare, /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|[⟦⟧]/u);
        assert.doesNotMatch(piece.text, / {16}/u);
        assert.doesNotMatch(piece.text, /^\p{M}|\p{M}{5}/u);
      }
    }),
  );
});

test('different texts are written differently', () => {
  fc.assert(fc.property(nasty, nasty, (a, b) => a === b || visibleText(a) !== visibleText(b)));
});

test('tokens read as the panel shows them', () => {
  assert.equal(visibleText(`a${' '.repeat(120)}b\u200b`), 'a⟦SPACE ×120⟧b⟦ZWSP⟧');
  assert.equal(visibleText('\x1b[31mred'), '⟦ESC⟧[31mred');
  assert.equal(visibleText('⟦ZWSP⟧'), '⟦U+27E6⟧ZWSP⟦U+27E7⟧');
  assert.equal(visibleText('\ud800x'), '⟦U+D800⟧x');
  assert.equal(visibleText('a\n\tb', 'block'), 'a\n\tb');
  assert.equal(visibleText('a\r\nb', 'block'), 'a⟦CR⟧\nb');
  assert.deepEqual(visible('\u202e'), [
    { kind: 'token', text: 'RLO', name: 'U+202E right-to-left override' },
  ]);
});

test('ordinary text stays as it is', () => {
  for (const text of [
    '',
    'node server.js',
    'naïve café',
    'परीक्षण',
    '日本語',
    '❤️ ok',
    '👍',
    '    indented',
  ]) {
    assert.equal(hasHidden(text), false, text);
    assert.equal(visibleText(text), text);
  }
  assert.equal(hasHidden('a\ufe0f'), true);
  assert.equal(hasHidden('\u0301a'), true);
});
