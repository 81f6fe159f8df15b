import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyEnvironment } from '../../../src/core/policy/environment.ts';

const from = (inherited: Record<string, string>, configured: Record<string, string> = {}) =>
  familyEnvironment(new Map(Object.entries(inherited)), configured);

test('what is on the list passes; secrets, the editor’s own and everything else stay with the client', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ';
  const { variables, passed, dropped, secrets } = from({
    PATH: '/bin',
    HOME: '/home/dev',
    LANG: 'C',
    LC_TIME: 'C',
    XDG_CACHE_HOME: '/c',
    NVM_DIR: '/home/dev/.nvm',
    HTTPS_PROXY: 'http://proxy.corp.example:3128',
    http_proxy: 'http://me:hunter2@proxy.corp.example:3128',
    GITHUB_TOKEN: 'x',
    DB_PASSWORD: 'x',
    HARMLESS_NAME: secret,
    LANGUAGE: secret,
    EDITOR: 'vi',
    NODE_OPTIONS: '--require=/x.js',
    LD_PRELOAD: '/x.so',
    SSH_AUTH_SOCK: '/run/agent',
    PWD: '/',
    VSCODE_IPC_HOOK: '/tmp/s',
    ELECTRON_RUN_AS_NODE: '1',
    KINWATCH_HOME: '/x',
    CODE_SERVER_SESSION_SOCKET: '/tmp/s',
    CLAUDECODE: '1',
  });
  assert.deepEqual(passed, ['HOME', 'HTTPS_PROXY', 'LANG', 'LC_TIME', 'NVM_DIR', 'PATH', 'XDG_CACHE_HOME']);
  assert.deepEqual(Object.keys(variables).toSorted(), passed);
  assert.deepEqual(secrets, ['DB_PASSWORD', 'GITHUB_TOKEN', 'HARMLESS_NAME', 'LANGUAGE', 'http_proxy']);
  assert.deepEqual(
    dropped.filter((name) => !secrets.includes(name)),
    [
      'CLAUDECODE',
      'CODE_SERVER_SESSION_SOCKET',
      'EDITOR',
      'ELECTRON_RUN_AS_NODE',
      'KINWATCH_HOME',
      'LD_PRELOAD',
    ].concat(['NODE_OPTIONS', 'PWD', 'SSH_AUTH_SOCK', 'VSCODE_IPC_HOOK']),
  );
});

test('folders pass whatever they look like', () => {
  const PATH = `/opt/sk-${'a1'.repeat(20)}/bin:/nix/store/7gx4kiv5m0i7d7qkixq2cwzbr10lvxwc-nodejs/bin`;
  assert.deepEqual(from({ PATH }).passed, ['PATH']);
});

test('what a configuration names on purpose passes, and a credential among it is named', () => {
  const result = from(
    { GITHUB_TOKEN: 'theirs', PATH: '/bin' },
    { GITHUB_TOKEN: 'ours', URL: 'https://me:hunter2@host/', B: '2', PATH: '/sbin', NODE_OPTIONS: '-r /x' },
  );
  assert.deepEqual(result.variables, {
    PATH: '/sbin',
    GITHUB_TOKEN: 'ours',
    URL: 'https://me:hunter2@host/',
    B: '2',
    NODE_OPTIONS: '-r /x',
  });
  assert.deepEqual(result.configured, ['B', 'GITHUB_TOKEN', 'NODE_OPTIONS', 'PATH', 'URL']);
  assert.deepEqual(result.credentials, ['GITHUB_TOKEN', 'URL']);
  assert.deepEqual(result.passed, []);
  assert.deepEqual(result.dropped, []);
});

test('names that mean something to JavaScript are names like others', () => {
  const { variables, dropped, configured } = from(
    { __proto__x: '1', constructor: '2', toString: '3' },
    { hasOwnProperty: '4' },
  );
  assert.deepEqual(Object.entries(variables), [['hasOwnProperty', '4']]);
  assert.deepEqual(dropped, ['__proto__x', 'constructor', 'toString']);
  assert.deepEqual(configured, ['hasOwnProperty']);
  const own = Object.fromEntries([['__proto__', 'x']]);
  const polluted = familyEnvironment(new Map([['__proto__', 'y']]), own);
  assert.deepEqual(polluted.configured, ['__proto__']);
  assert.equal(Object.getPrototypeOf(polluted.variables), Object.prototype);
  assert.equal(Object.entries(polluted.variables).length, 1, 'what is said to be passed is passed');
});
