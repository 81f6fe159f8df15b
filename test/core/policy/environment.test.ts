import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyEnvironment } from '../../../src/core/policy/environment.ts';

const from = (inherited: Record<string, string>, configured: Record<string, string> = {}) =>
  familyEnvironment(new Map(Object.entries(inherited)), configured);

test('secrets and the editor’s own variables stay with the client', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ';
  const { variables, passed, dropped } = from({
    PATH: '/bin',
    HOME: '/home/dev',
    LANG: 'C',
    GITHUB_TOKEN: 'x',
    DB_PASSWORD: 'x',
    HARMLESS_NAME: secret,
    VSCODE_IPC_HOOK: '/tmp/s',
    ELECTRON_RUN_AS_NODE: '1',
    KINWATCH_HOME: '/x',
    CODE_SERVER_SESSION_SOCKET: '/tmp/s',
    CLAUDECODE: '1',
  });
  assert.deepEqual(variables, { PATH: '/bin', HOME: '/home/dev', LANG: 'C' });
  assert.deepEqual(passed, ['HOME', 'LANG', 'PATH']);
  assert.deepEqual(dropped, [
    'CLAUDECODE',
    'CODE_SERVER_SESSION_SOCKET',
    'DB_PASSWORD',
    'ELECTRON_RUN_AS_NODE',
    'GITHUB_TOKEN',
    'HARMLESS_NAME',
    'KINWATCH_HOME',
    'VSCODE_IPC_HOOK',
  ]);
});

test('what a configuration names on purpose passes and is named', () => {
  const result = from({ GITHUB_TOKEN: 'theirs', PATH: '/bin' }, { GITHUB_TOKEN: 'ours', B: '2', A: '1' });
  assert.deepEqual(result.variables, { PATH: '/bin', GITHUB_TOKEN: 'ours', A: '1', B: '2' });
  assert.deepEqual(result.configured, ['A', 'B', 'GITHUB_TOKEN']);
  assert.deepEqual(result.passed, ['PATH']);
  assert.deepEqual(result.dropped, []);
});

test('names that mean something to JavaScript are names like others', () => {
  const { variables, passed } = from({ __proto__x: '1', constructor: '2', toString: '3' });
  assert.deepEqual(Object.entries(variables), [
    ['__proto__x', '1'],
    ['constructor', '2'],
    ['toString', '3'],
  ]);
  assert.deepEqual(passed, ['__proto__x', 'constructor', 'toString']);
  const polluted = familyEnvironment(new Map([['__proto__', 'x']]), {});
  assert.deepEqual(polluted.passed, ['__proto__']);
  assert.equal(Object.getPrototypeOf(polluted.variables), Object.prototype);
  assert.equal(Object.entries(polluted.variables).length, 1, 'what is said to be passed is passed');
});
