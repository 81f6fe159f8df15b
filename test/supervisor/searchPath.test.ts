import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { searchPath } from '../../src/supervisor/searchPath.ts';

test('each folder of PATH: where it is, who may write it, what it hides', async (t) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'kws-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  for (const name of ['own', 'open', 'bare']) mkdirSync(join(home, name));
  chmodSync(join(home, 'open'), 0o1777);
  const program = (name: string, mode = 0o755): void => {
    writeFileSync(join(home, name), '#!/bin/sh\n');
    chmodSync(join(home, name), mode);
  };
  program('own/sh');
  program('own/env', 0o644);
  program('own/ours-alone');
  symlinkSync('/nowhere', join(home, 'own/cat'));
  program('open/ls');
  const path = `own::${home}/open:${home}/gone:${home}/own/sh:/usr/bin:${home}/bare:/bin`;
  const entries = await searchPath(path, home);
  assert.deepEqual(
    entries.map(({ entry, directory, exists }) => [entry, directory, exists]),
    [
      ['own', join(home, 'own'), true],
      ['', home, true],
      [join(home, 'open'), join(home, 'open'), true],
      [join(home, 'gone'), join(home, 'gone'), false],
      [join(home, 'own/sh'), join(home, 'own/sh'), true],
      ['/usr/bin', '/usr/bin', true],
      [join(home, 'bare'), join(home, 'bare'), true],
      ['/bin', '/bin', true],
    ],
  );
  assert.deepEqual(
    entries.map(({ writableBy }) => writableBy),
    ['user', 'user', 'everyone', 'nobody', 'user', 'nobody', 'user', 'nobody'],
  );
  // What cannot run hides nothing; a link to nothing neither.
  assert.deepEqual(
    entries.map(({ hides }) => hides),
    [['sh'], [], ['ls'], [], [], [], [], []],
  );
  assert.deepEqual(await searchPath('', home), []);
});
