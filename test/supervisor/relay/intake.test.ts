import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Intake } from '../../../src/supervisor/relay/intake.ts';
import { chunked } from './chunked.ts';

/** An intake with everything that it gave, and the same as it was when it was given. */
function intake(limitBytes: number) {
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
  const taker = new Intake(100, { line: (_, follows) => more.push(follows), overflow: () => undefined });
  const bytes = taker.room().write('a\nb\nc\nd');
  taker.took(bytes);
  taker.took(taker.room().write('\n'));
  assert.deepEqual(more, [true, true, true, false]);
});

test('the memory of a large line is let go with it', () => {
  const { taker, put } = intake(8 << 20);
  put(Buffer.concat([Buffer.alloc(4 << 20, 'x'), Buffer.from('\n')]));
  assert.ok(taker.room().length <= 256 * 1024);
});
