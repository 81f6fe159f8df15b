import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateMs, lookMs, watchLateness } from '../../src/supervisor/lateness.ts';

test('each time the thread comes back late is one; on time and a little late are none', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let clockMs = 1000;
  let late = 0;
  const stop = watchLateness(
    () => (late += 1),
    () => clockMs,
  );
  const look = (afterMs: number): void => {
    clockMs += afterMs;
    t.mock.timers.tick(lookMs);
  };
  look(lookMs);
  look(lookMs + lateMs);
  assert.equal(late, 0);
  look(lookMs + lateMs + 1);
  assert.equal(late, 1);
  // Counted from when it came back, not from when it should have.
  look(lookMs);
  assert.equal(late, 1);
  look(lookMs + 10_000);
  assert.equal(late, 2);
  stop();
  look(lookMs + 10_000);
  assert.equal(late, 2);
});
