import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseRun } from '../../src/supervisor/commandLine.ts';
import { StartError } from '../../src/supervisor/startError.ts';

const nowhere = '/nonexistent/servers.jsonc';

test('a command with everything', async () => {
  assert.deepEqual(
    await parseRun(
      ['--name', 'n', '--cwd', '/d', '--env', 'A=1=2', '--env=B=', '--', 'cmd', '--name', '--', 'x'],
      nowhere,
    ),
    {
      server: 'n',
      source: 'command line',
      command: 'cmd',
      args: ['--name', '--', 'x'],
      env: { A: '1=2', B: '' },
      cwd: '/d',
    },
  );
});

test('a bare command is named by its file', async () => {
  assert.deepEqual(await parseRun(['--', '/opt/x/server'], nowhere), {
    server: 'server',
    source: 'command line',
    command: '/opt/x/server',
    args: [],
    env: {},
  });
});

test('variables by any name', async () => {
  const { env } = await parseRun(['--env', '__proto__=x', '--', 'cmd'], nowhere);
  assert.deepEqual(Object.entries(env), [['__proto__', 'x']]);
});

test('usage', async () => {
  const cases = [
    [],
    ['--'],
    ['--', ''],
    ['a', 'b'],
    ['a', '--', 'c'],
    ['--env', 'x', '--', 'c'],
    ['--unknown', '--', 'c'],
    ['--name', '--', 'c'],
  ];
  for (const argv of cases) {
    await assert.rejects(
      parseRun(argv, nowhere),
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
  assert.deepEqual(await parseRun(['files'], file), {
    server: 'files',
    source: file,
    command: 'x',
    args: ['$5', 'a b', '~'],
    env: { A: '$B' },
    cwd: '/d',
  });
  await assert.rejects(
    parseRun(['other'], file),
    (error: unknown) =>
      error instanceof StartError && error.exitCode === 3 && /it has "files"/u.test(error.message),
  );
  await assert.rejects(parseRun(['files'], nowhere), /cannot be read; create it/u);
});
