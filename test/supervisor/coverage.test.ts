import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageText } from '../../src/supervisor/coverage.ts';

test('coverage says what this kernel leaves open', () => {
  const whole = 'execs and connections held, datagrams judged, not pinned';
  assert.equal(coverageText('signals, abstract sockets and tracing', false), whole);
  assert.equal(
    coverageText('signals, abstract sockets and tracing', true),
    'execs and connections held, no network',
  );
  assert.match(
    coverageText('tracing only', false),
    new RegExp(`^${whole}; signals and abstract sockets .* not refused`, 'u'),
  );
  assert.match(
    coverageText('none', false),
    new RegExp(`^${whole}; signals, tracing and abstract sockets .* not refused`, 'u'),
  );
});
