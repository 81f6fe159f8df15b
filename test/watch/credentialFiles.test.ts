import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { credentialFiles } from '../../src/watch/credentialFiles.ts';

const wide = { depth: 3, entries: 5000, ms: 60_000 };

function folder(t: TestContext, names: readonly string[], text = ''): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'kwf-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  for (const name of names) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

test('what lies in a project, three folders deep, without other people’s files', async (t) => {
  const home = folder(t, [
    '.env',
    '.env.example',
    'deploy/id_ed25519',
    'a/b/c/.netrc',
    'node_modules/x/.env',
    '.git/.env',
    'src/index.ts',
    'server.pem',
  ]);
  writeFileSync(join(home, '.npmrc'), '//registry.npmjs.org/:_authToken=x\n');
  symlinkSync('/etc', join(home, 'etc'));
  assert.equal(spawnSync('mkfifo', [join(home, 'pipe.pem')]).status, 0);
  const found = await credentialFiles([home, '/nonexistent', '/'], wide);
  assert.deepEqual(found, {
    files: ['.env', '.npmrc', 'a/b/c/.netrc', 'deploy/id_ed25519'].map((name) => join(home, name)),
    complete: true,
  });
});

test('its bounds', async (t) => {
  const home = folder(t, ['.env', 'a/b/c/d/.env']);
  const deep = await credentialFiles([home], wide);
  assert.deepEqual(deep, { files: [join(home, '.env')], complete: false });
  const many = folder(
    t,
    Array.from({ length: 40 }, (_, index) => `file${index}`),
  );
  assert.equal((await credentialFiles([many], { ...wide, entries: 39 })).complete, false);
  assert.equal((await credentialFiles([many], { ...wide, entries: 40 })).complete, true);
  assert.equal((await credentialFiles([many], { ...wide, ms: -1 })).complete, false);
});
