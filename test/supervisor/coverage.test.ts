import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageText } from '../../src/supervisor/coverage.ts';

test('coverage says what this kernel leaves open', () => {
  const whole = 'execs held, connections not watched yet';
  assert.equal(coverageText('signals, abstract sockets and tracing'), whole);
  assert.match(
    coverageText('tracing only'),
    new RegExp(`^${whole}; signals and abstract sockets .* not refused`, 'u'),
  );
  assert.match(
    coverageText('none'),
    new RegExp(`^${whole}; signals, tracing and abstract sockets .* not refused`, 'u'),
  );
});
