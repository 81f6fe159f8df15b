import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attribute } from '../../../src/core/family/attribution.ts';

const run = { number: 3, method: 'tools/call', tool: 'run' };

test('no request, one, several', () => {
  assert.equal(attribute(undefined, []), undefined);
  assert.deepEqual(attribute(undefined, [run]), { ...run, attribution: 'certain' });
  assert.deepEqual(attribute(undefined, [run, { number: 4, method: 'tools/call', tool: 'other' }]), {
    ...run,
    attribution: 'one-of',
  });
  assert.deepEqual(attribute(undefined, [{ number: 1, method: 'tools/list' }]), {
    number: 1,
    method: 'tools/list',
    attribution: 'certain',
  });
});

test('a child belongs to its parent’s request, whatever is in flight now', () => {
  const parent = { number: 1, method: 'tools/call', tool: 'first', attribution: 'one-of' } as const;
  for (const open of [[], [run], [run, run]]) assert.equal(attribute(parent, open), parent);
});
