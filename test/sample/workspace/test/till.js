import assert from 'node:assert/strict';
import { total } from '../src/receipt.js';

assert.equal(total([]), 0);
assert.equal(
  total([
    { count: 2, priceCents: 150 },
    { count: 1, priceCents: 99 },
  ]),
  399,
);
console.log('2 checks passed');
