import assert from 'node:assert/strict';
import test from 'node:test';
import { clientName } from '../../../src/core/identity/clientName.ts';

const named = (exe: string | undefined, ...argv: string[]): string => {
  const facts = { pid: 7, startTicks: 1, startedAt: '2026-03-12T14:00:00.000Z', argv: [exe ?? 'x', ...argv] };
  const { name, known } = clientName(exe === undefined ? facts : { ...facts, exe });
  return `${name}${known ? '' : '?'}`;
};

test('clients are named by the path of what runs', () => {
  assert.equal(named('/usr/share/code/code', '--type=utility', '--type=extensionHost'), 'VS Code');
  assert.equal(
    named('/home/d/.vscode-server/bin/1/node', '/x/out/bootstrap-fork', '--type=extensionHost'),
    'VS Code',
  );
  assert.equal(named('/opt/n/code-server-4.1/node', '/opt/n/out/bootstrap-fork'), 'code-server');
  assert.equal(named('/opt/Cursor/cursor', '--type=extensionHost'), 'Cursor');
  assert.equal(named('/home/d/.local/share/claude/versions/2.1.0'), 'Claude Code');
  assert.equal(named('/usr/bin/codex'), 'Codex');
  assert.equal(named('/usr/bin/node', '--no-warnings', '/usr/bin/gemini'), 'Gemini CLI');
  assert.equal(named('/usr/bin/node', '/l/node_modules/@anthropic-ai/claude-code/cli.js'), 'Claude Code');
});

test('what is not known keeps a file’s own name, and says so', () => {
  assert.equal(named('/usr/bin/node', '/tmp/agent.js'), 'agent.js?');
  assert.equal(named('/usr/bin/bash'), 'bash?');
  assert.equal(named(undefined), 'process 7?');
  // An argument alone makes no editor.
  assert.equal(named('/tmp/evil', '--type=extensionHost'), 'evil?');
});
