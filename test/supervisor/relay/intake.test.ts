import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Intake } from '../../../src/supervisor/relay/intake.ts';
import { chunked } from './chunked.ts';

/** An intake with everything that it gave, and the same as it was when it was given. */
function intake(limitBytes: number, letGo = false) {
  const given: Buffer[] = [];
  const copies: string[] = [];
  const pieces: string[] = [];
  const ends: boolean[] = [];
  const taker = new Intake(limitBytes, {
    line: (line) => {
      given.push(line);
      copies.push(line.toString('latin1'));
    },
    overflow: (piece, end) => {
      pieces.push(piece.toString('latin1'));
      ends.push(end);
    },
    letGo: () => letGo,
  });
  const put = (bytes: Buffer): void => {
    for (let from = 0; from < bytes.length;) {
      const copied = bytes.copy(taker.room(), 0, from);
      from += copied;
      taker.took(copied);
    }
  };
  return { taker, put, given, copies, pieces, ends };
}

test('chunking never changes what is cut, and what was given out is never written again', () => {
  const line = fc.oneof(
    fc.constantFrom('', 'a', '\r', '読', '\u2028', '😀'),
    fc.nat(700_000).map((length) => 'x'.repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.nat()), (lines, cuts) => {
      const { taker, put, given, copies } = intake(1 << 20);
      const all = Buffer.from(lines.join('\n'));
      for (const chunk of chunked(all, cuts)) put(chunk);
      const got = [...copies, taker.rest().toString('latin1')].join('');
      assert.ok(got === all.toString('latin1'));
      assert.ok(copies.every((text) => text.indexOf('\n') === text.length - 1));
      put(Buffer.alloc(600_000, 'y'));
      assert.ok(given.every((bytes, i) => bytes.toString('latin1') === copies[i]));
    }),
    { numRuns: 50 },
  );
});

test('a line over the limit is shown piece by piece, from its first byte to its last, and the next one is whole', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.array(fc.nat()), (length, cuts) => {
      const { put, copies, pieces, ends } = intake(10);
      const long = 'x'.repeat(length);
      for (const chunk of chunked(Buffer.from(`before\n${long}\nafter\n`), cuts)) put(chunk);
      assert.deepEqual(copies, ['before\n', ...(length > 10 ? [] : [`${long}\n`]), 'after\n']);
      assert.equal(pieces.join(''), length > 10 ? long : '');
      assert.equal(ends.filter(Boolean).length, length > 10 ? 1 : 0);
      assert.equal(ends.at(-1) ?? true, true);
    }),
  );
});

test('a line over the limit that never ends is ended with the stream', () => {
  const { taker, put, pieces, ends } = intake(2);
  put(Buffer.from('abcd'));
  assert.equal(taker.rest().length, 0);
  assert.equal(pieces.join(''), 'abcd');
  assert.deepEqual(ends, [false, true]);
});

test('lines that came together say that more follows', () => {
  const more: boolean[] = [];
  const taker = new Intake(100, {
    line: (_, follows) => more.push(follows),
    overflow: () => undefined,
    letGo: () => false,
  });
  const bytes = taker.room().write('a\nb\nc\nd');
  taker.took(bytes);
  taker.took(taker.room().write('\n'));
  assert.deepEqual(more, [true, true, true, false]);
});

test('memory that was let go is used again; that of large lines is given up with the first small one', () => {
  const { taker, put, copies } = intake(8 << 20, true);
  const memory = taker.room().buffer;
  for (let i = 0; i < 5000; i++) put(Buffer.from(`${'x'.repeat(500)}${i}\n`));
  assert.equal(taker.room().buffer, memory);
  assert.ok(copies.every((text, i) => text === `${'x'.repeat(500)}${i}\n`));

  const large = Buffer.concat([Buffer.alloc(4 << 20, 'x'), Buffer.from('\n')]);
  put(large);
  const grown = taker.room().buffer;
  assert.ok(grown.byteLength > large.length);
  put(large);
  assert.equal(taker.room().buffer, grown);
  put(Buffer.from('small\n'));
  assert.ok(taker.room().buffer.byteLength <= 256 * 1024);
});

test('memory that is let go only after the next room was asked for is used for the next large line too', () => {
  let letGo = false;
  const copies: string[] = [];
  const taker = new Intake(8 << 20, {
    line: (line) => copies.push(line.toString('latin1')),
    overflow: () => undefined,
    letGo: () => letGo,
  });
  const lines = ['a', 'b', 'c'].map((fill) => `${fill.repeat(4 << 20)}\n`);
  const blocks = new Set<ArrayBufferLike>();
  for (const line of lines) {
    const bytes = Buffer.from(line);
    for (let from = 0; from < bytes.length;) {
      const room = taker.room();
      // Let go once the next line has begun.
      letGo = from === 0;
      const copied = bytes.copy(room, 0, from, from + 100_000);
      from += copied;
      taker.took(copied);
      letGo = false;
    }
    taker.room();
    blocks.add(taker.room().buffer);
  }
  assert.ok(copies.every((text, i) => text === lines[i]));
  assert.equal(blocks.size, 1);
});

test('an unfinished line is kept where it is while what came before it is let go', () => {
  const { put, copies } = intake(1 << 20, true);
  put(Buffer.from('one\ntw'));
  put(Buffer.from('o\nthree\n'));
  assert.deepEqual(copies, ['one\n', 'two\n', 'three\n']);
});
