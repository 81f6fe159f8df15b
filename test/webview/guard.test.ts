import assert from 'node:assert/strict';
import test from 'node:test';
import { Guard, guardMs } from '../../webview/guard.ts';

test('nothing counts for 600 ms after the buttons appear', () => {
  const guard = new Guard();
  assert.equal(guard.seen(100, 1000), true);
  assert.equal(guard.accepts(1000 + guardMs - 1), false);
  assert.equal(guard.accepts(1000 + guardMs), true);
});

test('a move starts the wait anew; rounding is no move', () => {
  const guard = new Guard();
  guard.seen(100, 0);
  assert.equal(guard.seen(101, 700), false);
  assert.equal(guard.accepts(700), true);
  assert.equal(guard.seen(140, 800), true);
  assert.equal(guard.accepts(900), false);
  assert.equal(guard.remaining(1000), 400);
});

test('buttons that were away appear again, even at the same place', () => {
  const guard = new Guard();
  guard.seen(100, 0);
  guard.gone();
  assert.equal(guard.seen(100, 5000), true);
  assert.equal(guard.accepts(5100), false);
});

test('a press that began too early does not count when it is let go, the next one does', () => {
  const guard = new Guard();
  guard.seen(100, 0);
  guard.pressed(500);
  assert.equal(guard.accepts(700), false);
  guard.pressed(900);
  assert.equal(guard.accepts(950), true);
});

test('an event that a busy page delivers late is judged by its own time', () => {
  const guard = new Guard();
  guard.seen(100, 2000);
  assert.equal(guard.accepts(1500), false);
});
