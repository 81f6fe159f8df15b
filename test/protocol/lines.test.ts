import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunked } from '../supervisor/relay/chunked.ts';
import { LineCutter } from '../../src/protocol/lines.ts';

test('chunking never changes what is cut', () => {
  const text = fc
    .array(fc.constantFrom('a', '\n', '\r', '読', '\u2028', '😀', 'xyz'.repeat(40)))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat()), (all, cuts) => {
      const cutter = new LineCutter(1 << 20);
      const lines: string[] = [];
      for (const chunk of chunked(Buffer.from(all), cuts)) {
        for (const event of cutter.push(Buffer.from(chunk))) {
          assert.equal(event.kind, 'line');
          if (event.kind !== 'line') continue;
          lines.push(event.bytes.toString());
          assert.equal(event.framed.toString(), `${event.bytes.toString()}\n`);
        }
      }
      lines.push(cutter.rest().toString());
      assert.deepEqual(lines, all.split('\n'));
    }),
  );
});

test('a line over the limit is skipped, shown piece by piece, and the next one is whole', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.array(fc.nat()), (length, cuts) => {
      const seen: string[] = [];
      let ends = 0;
      const cutter = new LineCutter(10, (piece, end) => {
        seen.push(piece.toString());
        if (end) ends++;
      });
      const long = 'x'.repeat(length);
      const got: string[] = [];
      for (const chunk of chunked(Buffer.from(`before\n${long}\nafter\n`), cuts)) {
        for (const event of cutter.push(chunk))
          got.push(event.kind === 'line' ? event.bytes.toString() : '!');
      }
      assert.deepEqual(got, ['before', length > 10 ? '!' : long, 'after']);
      assert.equal(seen.join(''), length > 10 ? long : '');
      assert.equal(ends, length > 10 ? 1 : 0);
    }),
  );
});

test('a line over the limit that never ends is ended with the stream', () => {
  const ends: boolean[] = [];
  const cutter = new LineCutter(2, (_, end) => ends.push(end));
  assert.deepEqual([...cutter.push(Buffer.from('abcd'))], [{ kind: 'too long' }]);
  assert.equal(cutter.rest().length, 0);
  assert.deepEqual(ends, [false, true]);
});

test('a writer of single bytes costs no object a byte', () => {
  const cutter = new LineCutter(1 << 22);
  const byte = Buffer.from('x');
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 1 << 20; i++) for (const _ of cutter.push(byte)) assert.fail();
  assert.ok(process.memoryUsage().heapUsed - before < 40e6);
  assert.equal(cutter.rest().length, 1 << 20);
});
