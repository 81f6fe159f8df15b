import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callHoldMs, type ClientLook, startHoldMs } from '../../../src/core/transition/deadlines.ts';

test('how long each client is kept waiting', () => {
  const cases: [ClientLook, number, number][] = [
    [{ argv: ['thing'] }, 25_000, 55_000],
    [{ argv: [], claimedName: 'Visual Studio Code' }, 104_000, 120_000],
    [{ argv: ['/usr/lib/code-server/lib/node', '--type=extensionHost'] }, 104_000, 120_000],
    [{ exe: '/home/dev/.local/share/claude/versions/2.0.1', argv: ['claude'] }, 24_000, 120_000],
    [{ argv: ['codex'] }, 24_000, 120_000],
    [{ argv: ['node', '/usr/bin/gemini', 'mcp', 'list'] }, 4_000, 55_000],
    [{ argv: ['node', '/usr/bin/gemini'] }, 104_000, 120_000],
    [{ argv: ['node', '/usr/bin/qwen', 'mcp', 'list'] }, 8_000, 55_000],
    [{ argv: ['node', '/usr/bin/qwen'] }, 24_000, 120_000],
    [{ argv: ['opencode'] }, 24_000, 55_000],
    [{ argv: [], claimedName: 'mcp-inspector' }, 12_000, 55_000],
    [{ argv: [], claimedName: 'Cline' }, 2_400, 55_000],
    [{ argv: ['mcpc'] }, 48_000, 55_000],
  ];
  for (const [look, startMs, callMs] of cases) {
    assert.deepEqual([startHoldMs(look), callHoldMs(look)], [startMs, callMs], JSON.stringify(look));
  }
});

test('what a client calls itself decides only this', () => {
  const longest = Math.max(
    startHoldMs({ argv: [], claimedName: 'vscode' }),
    callHoldMs({ argv: [], claimedName: 'vscode' }),
  );
  assert.ok(longest <= 120_000, 'however it names itself, a hold ends');
});
