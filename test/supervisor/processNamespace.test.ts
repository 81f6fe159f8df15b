import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { namespaceLaunchers } from '../../src/supervisor/processNamespace.ts';

test('without the programs that make it: refused, with the one that is missing', async () => {
  const result = await namespaceLaunchers(['/nowhere']);
  assert.deepEqual(result, {
    kind: 'refused',
    reason: 'setpriv is not in /nowhere (util-linux, coreutils)',
  });
});

test('programs that this user could change launch nothing', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root may change every program');
  const folder = mkdtempSync(join(tmpdir(), 'kwn-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['setpriv', 'unshare', 'true'])
    writeFileSync(join(folder, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const result = await namespaceLaunchers([folder]);
  assert.ok(result.kind === 'refused');
  assert.match(result.reason, /not the system’s own/u);
});
