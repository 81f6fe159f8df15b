import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonText, UnsoundJson, depthLimit, requestId } from '../../src/protocol/jsonrpc.ts';

function accepts(text: string | Buffer, unique = false): boolean {
  const json = new JsonText(Buffer.from(text));
  try {
    json.finish(json.skip(json.space(0), unique));
    return true;
  } catch (error) {
    assert.ok(error instanceof UnsoundJson);
    return false;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('accepts every text that JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(3), (text, indent) => {
      assert.ok(accepts(text));
      assert.ok(accepts(JSON.stringify(JSON.parse(text), null, indent)));
    }),
  );
});

test('agrees with JSON.parse on long strings with one odd byte, wherever the text lies in memory', () => {
  const odd = fc.constantFrom(
    '',
    'x',
    '\u0000',
    '\u001f',
    ' ',
    '\u007f',
    'é',
    '\u2028',
    '"',
    '\\',
    '\\n',
    '\\q',
    '\\u00e9',
    '\\u00g9',
  );
  fc.assert(
    fc.property(odd, fc.integer({ min: 0, max: 6000 }), fc.nat(9), (piece, at, shift) => {
      const text = JSON.stringify({ a: 'ab'.repeat(2500) + '.'.repeat(shift) });
      const edited = text.slice(0, 6 + (at % 5000)) + piece + text.slice(6 + (at % 5000));
      const memory = Buffer.from(' '.repeat(shift) + edited).subarray(shift);
      const json = new JsonText(memory);
      let accepted = true;
      try {
        json.finish(json.skip(0, false));
      } catch {
        accepted = false;
      }
      assert.equal(accepted, parses(edited), `${piece} at ${at}`);
    }),
    { numRuns: 3000 },
  );
});

test('one odd byte is found at every place of a long string and at every place in memory', () => {
  for (const piece of ['"', '\\', '\u0001']) {
    for (let at = 0; at < 120; at += 1) {
      for (let shift = 0; shift < 4; shift += 1) {
        const text = JSON.stringify({ a: 'ab'.repeat(2500) });
        const edited = text.slice(0, 6 + at) + piece + text.slice(6 + at);
        const memory = Buffer.from(' '.repeat(shift) + edited).subarray(shift);
        const json = new JsonText(memory);
        let accepted = true;
        try {
          json.finish(json.skip(0, false));
        } catch {
          accepted = false;
        }
        assert.equal(accepted, parses(edited), `${JSON.stringify(piece)} at ${at}, shifted ${shift}`);
      }
    }
  }
});

test('agrees with JSON.parse on damaged JSON', () => {
  const piece = fc.constantFrom(
    ...'{}[],:"\\-+.eE0123456789 \t\r\n\u0000\u001f\u007fuabfé\u2028',
    'true',
    'null',
    '\\u00e9',
    '\\ud800',
  );
  fc.assert(
    fc.property(
      fc.json(),
      fc.array(fc.tuple(fc.nat(), fc.nat(2), piece), { maxLength: 3 }),
      (text, edits) => {
        let damaged = text;
        for (const [at, cut, by] of edits) {
          const from = at % (damaged.length + 1);
          // Through bytes, where half a surrogate pair cannot exist.
          damaged = Buffer.from(damaged.slice(0, from) + by + damaged.slice(from + cut)).toString();
        }
        assert.equal(accepts(damaged), parses(damaged), damaged);
      },
    ),
    { numRuns: 5000 },
  );
});

test('agrees with JSON.parse on token soup', () => {
  const tokens = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u0061"',
    '1',
    '-0',
    '01',
    '1.',
    '1e5',
    '1E+',
    'true',
    'nul',
    ' ',
    '"',
    '\uFEFF',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 9 }), (soup) => {
      assert.equal(accepts(soup.join('')), parses(soup.join('')), soup.join(''));
    }),
    { numRuns: 20_000 },
  );
});

test('a key that comes twice is found at any depth, however it is escaped', () => {
  for (const text of [
    '{"a":1,"a":1}',
    '[{"x":{"a":1,"\\u0061":2}}]',
    '{"":0,"":0}',
    '{"__proto__":1,"__proto__":2}',
  ]) {
    assert.ok(accepts(text));
    assert.equal(accepts(text, true), false);
  }
  for (const text of ['{"a":{"a":1},"b":[{"a":1},{"a":1}]}', '{"1":1,"1.0":1}'])
    assert.ok(accepts(text, true));
});

test('objects that JSON.stringify wrote have no key twice', () => {
  fc.assert(fc.property(fc.json(), (text) => assert.ok(accepts(JSON.stringify(JSON.parse(text)), true))));
});

test('depth is limited without recursion', () => {
  assert.ok(accepts('['.repeat(depthLimit) + ']'.repeat(depthLimit)));
  assert.equal(accepts('['.repeat(depthLimit + 1) + ']'.repeat(depthLimit + 1)), false);
  assert.equal(accepts('{"a":'.repeat(200_000)), false);
});

test('ids: raw text kept, equal only when no peer can tell them apart', () => {
  const key = (raw: string): string | undefined => requestId(raw)?.key;
  for (const raw of ['"1"', '1', '0', '""', '-1', '9007199254740993', '1.0', '"__proto__"', '"読\\n"']) {
    assert.equal(requestId(raw)?.raw, raw);
  }
  assert.notEqual(key('"1"'), key('1'));
  assert.notEqual(key('9007199254740993'), key('9007199254740992'));
  assert.equal(key('"caf\\u00e9"'), key('"café"'));
  assert.equal(key('"a\\/b"'), key('"a/b"'));
  for (const raw of ['null', 'true', 'false', '{}', '[1]', '', `"${'x'.repeat(2000)}"`])
    assert.equal(key(raw), undefined);
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      (text) => key(JSON.stringify(text)) === JSON.stringify(text),
    ),
  );
});
