import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { loginShell } from '../../src/supervisor/loginShell.ts';

function home(t: TestContext, profile: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kwl-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, '.profile'), profile);
  return folder;
}

async function gone(pid: number): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return; // ESRCH
    }
    await delay(10);
  }
  assert.fail(`${pid} is alive`);
}

for (const shell of ['/bin/bash', '/bin/dash']) {
  test(`${shell}: its start-up files say what PATH is, whatever else they print`, async (t) => {
    const folder = home(t, 'echo "Welcome: PATH"; PATH="$HOME/bin:$PATH"; export PATH; echo bye >&2\n');
    const found = await loginShell({ shell, name: 'dev', home: folder });
    assert.equal(found.shell, shell);
    assert.match(found.path, new RegExp(`^${folder}/bin:`, 'u'));
    assert.ok(found.path.split(':').includes('/usr/bin'));
  });
}

test('it gets an environment of its own', async (t) => {
  const folder = home(t, 'env | sort > "$HOME/env"\n');
  await loginShell({ shell: '/bin/dash', name: 'dev', home: folder });
  const names = readFileSync(join(folder, 'env'), 'utf8')
    .split('\n')
    .map((line) => line.slice(0, line.indexOf('=')));
  assert.deepEqual(
    names.filter((name) => !['', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)),
    ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'],
  );
});

test('one that does not answer in time is ended with what it waits for, and named', async (t) => {
  const folder = home(t, 'sleep 300 & echo $! > "$HOME/pid"; wait\n');
  await assert.rejects(
    loginShell({ shell: '/bin/dash', name: 'dev', home: folder }, 300),
    /the login shell \/bin\/dash did not tell its PATH within 0\.3 s; look at its start-up files, or remove "path"/u,
  );
  await gone(Number(readFileSync(join(folder, 'pid'), 'utf8')));
});

test('what its start-up files leave running does not keep the answer waiting', async (t) => {
  const folder = home(t, 'sleep 300 & echo $! > "$HOME/pid"\n');
  assert.ok((await loginShell({ shell: '/bin/dash', name: 'dev', home: folder }, 20_000)).path);
  await gone(Number(readFileSync(join(folder, 'pid'), 'utf8')));
});

test('what is no shell is said so', async (t) => {
  const folder = home(t, '');
  const odd = join(folder, 'odd');
  writeFileSync(odd, '#!/bin/sh\nexit 3\n');
  chmodSync(odd, 0o755);
  for (const [shell, said] of [
    ['/usr/sbin/nologin', /dev has no login shell; remove it and write PATH in env/u],
    [null, /has no login shell/u],
    [join(folder, 'gone'), /could not be run \(.*ENOENT/u],
    [odd, /did not tell its PATH; look at/u],
  ] as const) {
    await assert.rejects(loginShell({ shell, name: 'dev', home: folder }), said);
  }
});
