import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { OpenRequests } from '../../src/supervisor/openRequests.ts';

const call = (number: number) => ({ number, method: 'tools/call', tool: `t${number}` });

test('only calls of tools start work', () => {
  const open = new OpenRequests();
  open.add({ number: 1, method: 'tools/list' }, '{}');
  assert.equal(open.attribute(undefined), undefined);
  open.add(call(2), '{}');
  assert.deepEqual(open.attribute(undefined), { ...call(2), attribution: 'certain' });
  open.add(call(3), '{}');
  assert.equal(open.attribute(undefined)?.attribution, 'one-of');
  open.remove(2);
  assert.deepEqual(open.attribute(undefined), { ...call(3), attribution: 'certain' });
  assert.deepEqual(open.numbers(), [1, 3]);
  open.remove(3);
  open.remove(3);
  assert.equal(open.attribute(undefined), undefined);
  const parent = { ...call(9), attribution: 'certain' } as const;
  assert.equal(open.attribute(parent), parent);
});

test('arguments are kept while the request is in flight, and long ones are bounded, counted and digested', () => {
  const open = new OpenRequests();
  assert.equal(open.add(call(1), '{"a":1}'), '{"a":1}');
  assert.equal(open.argumentsOf(1), '{"a":1}');
  const long = 'x'.repeat(64 * 1024 + 10);
  const shown = open.add(call(2), long);
  const digest = createHash('sha256').update(long).digest('hex');
  assert.equal(shown, `${'x'.repeat(64 * 1024)} [10 more characters; sha256 of the whole ${digest}]`);
  assert.equal(open.argumentsOf(2), shown);
  open.remove(1);
  assert.equal(open.argumentsOf(1), undefined);
});
