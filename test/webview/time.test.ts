import assert from 'node:assert/strict';
import test from 'node:test';
import { age, clockTime, fullTime, timeLeft, timeLeftSpoken } from '../../webview/time.ts';

test('time left is never negative and counts a begun second', () => {
  assert.equal(timeLeft(116_000), '1:56');
  assert.equal(timeLeft(41_001), '0:42');
  assert.equal(timeLeft(-5), '0:00');
  assert.equal(timeLeft(3_900_000), '1:05:00');
  assert.equal(timeLeftSpoken(116_000), '1 minute 56 seconds left');
  assert.equal(timeLeftSpoken(60_000), '1 minute left');
  assert.equal(timeLeftSpoken(0), '0 seconds left');
});

test('times are the wire’s own, in UTC', () => {
  assert.equal(clockTime('2026-03-12T14:21:02.618Z'), '14:21:02');
  assert.equal(fullTime('2026-03-12T14:21:02.618Z'), '2026-03-12 14:21:02.618');
});

test('ages', () => {
  assert.deepEqual(
    [0, 59_999, 60_000, 3_599_000, 3_600_000, 172_800_000].map((ms) => age(ms)),
    ['0s', '59s', '1m', '59m', '1h', '2d'],
  );
});
