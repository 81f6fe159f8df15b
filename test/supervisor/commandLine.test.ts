import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseRun } from '../../src/supervisor/commandLine.ts';
import { StartError } from '../../src/supervisor/startError.ts';

const nowhere = '/nonexistent/servers.jsonc';
const none: ReadonlyMap<string, string> = new Map();

test('a command with everything', async () => {
  assert.deepEqual(
    await parseRun(
      ['--name', 'n', '--cwd', '/d', '--env', 'A=1=2', '--env=B=', '--', 'cmd', '--name', '--', 'x'],
      nowhere,
      none,
    ),
    {
      server: 'n',
      source: 'command line',
      command: 'cmd',
      args: ['--name', '--', 'x'],
      env: { A: '1=2', B: '' },
      network: 'ask',
      cwd: '/d',
    },
  );
});

test('a bare command is named by its file', async () => {
  assert.deepEqual(await parseRun(['--', '/opt/x/server'], nowhere, none), {
    server: 'server',
    source: 'command line',
    command: '/opt/x/server',
    args: [],
    env: {},
    network: 'ask',
  });
});

test('variables by any name', async () => {
  const { env } = await parseRun(['--env', '__proto__=x', '--', 'cmd'], nowhere, none);
  assert.deepEqual(Object.entries(env), [['__proto__', 'x']]);
});

test('usage', async () => {
  const cases = [
    [],
    ['--'],
    ['--', ''],
    ['a', 'b'],
    ['a', '--', 'c'],
    ['--env', 'x y', '--', 'c'],
    ['--env', '=x', '--', 'c'],
    ['--path', '/bin', '--', 'c'],
    ['--path', 'login shell', '--env', 'PATH=/bin', '--', 'c'],
    ['--unknown', '--', 'c'],
    ['--name', '--', 'c'],
  ];
  for (const argv of cases) {
    await assert.rejects(
      parseRun(argv, nowhere, none),
      (error: unknown) =>
        error instanceof StartError &&
        error.code === 'usage' &&
        error.exitCode === 2 &&
        /\nusage: /u.test(error.message),
      argv.join(' '),
    );
  }
});

test('a server by name', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'kwc-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const file = join(home, 'servers.jsonc');
  writeFileSync(
    file,
    '{ // a comment\n "servers": { "files": { "command": "x", "args": ["$5", "a b", "~"], "cwd": "/d", "env": {"A": "$B"}, } } }',
  );
  // Only `${…}` is anyone's variable in such a file; everything else may be meant.
  assert.deepEqual(await parseRun(['files'], file, none), {
    server: 'files',
    source: file,
    command: 'x',
    args: ['$5', 'a b', '~'],
    env: { A: '$B' },
    network: 'ask',
    cwd: '/d',
  });
  await assert.rejects(
    parseRun(['other'], file, none),
    (error: unknown) =>
      error instanceof StartError && error.exitCode === 3 && /it has "files"/u.test(error.message),
  );
  await assert.rejects(parseRun(['files'], nowhere, none), /cannot be read; create it/u);
});

test('a variable named and not written is the client’s own', async () => {
  const client = new Map([
    ['TOKEN_FOR_IT', 'value'],
    ['VSCODE_PID', '1'],
  ]);
  const { env } = await parseRun(['--env', 'TOKEN_FOR_IT', '--', 'c'], nowhere, client);
  assert.deepEqual(env, { TOKEN_FOR_IT: 'value' });
  await assert.rejects(
    parseRun(['--env', 'NOPE', '--', 'c'], nowhere, client),
    /^StartError: --env NOPE: NOPE is not set where the client runs; set it there, or write --env NOPE=VALUE$/u,
  );
  await assert.rejects(
    parseRun(['--env', 'VSCODE_PID', '--', 'c'], nowhere, client),
    /belongs to the editor/u,
  );
});

test('the login shell’s PATH is asked for by name', async (t) => {
  assert.equal((await parseRun(['--path', 'login shell', '--', 'c'], nowhere, none)).path, 'login shell');
  const home = mkdtempSync(join(tmpdir(), 'kwc-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const file = join(home, 'servers.jsonc');
  const written = async (entry: object) => {
    writeFileSync(file, JSON.stringify({ servers: { files: { command: 'x', ...entry } } }));
    return parseRun(['files'], file, none);
  };
  assert.equal((await written({ path: 'login shell' })).path, 'login shell');
  assert.equal('path' in (await written({})), false);
  await assert.rejects(
    written({ path: '/usr/bin' }),
    /servers\.files\.path: it takes "login shell"; a PATH of your own goes into env/u,
  );
  await assert.rejects(
    written({ path: 'login shell', env: { PATH: '/bin' } }),
    /PATH is in env too; keep one of the two/u,
  );
});
