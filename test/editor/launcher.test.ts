import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { launcherText, shellWord, writeLauncher } from '../../src/editor/launcher.ts';

test('a shell word is what it was, for any path', () => {
  const path = fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '$', '`', '\\', '\n', '&', '*', 'é') });
  fc.assert(
    fc.property(path, (text) => {
      assert.equal(execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`]).toString(), text);
    }),
    { numRuns: 60 },
  );
});

test('placeholders are filled as words, also with $ in a path', () => {
  const runtime = { node: "/o'p/$&/node", dist: '/d', electron: true };
  const text = launcherText('NODE=@NODE@\nDIST=@DIST@\nELECTRON=@ELECTRON@\n$@ "$@"', runtime);
  assert.equal(text, String.raw`NODE='/o'\''p/$&/node'` + `\nDIST='/d'\nELECTRON='1'\n$@ "$@"`);
  assert.equal(launcherText('E=@ELECTRON@;', { ...runtime, electron: false }), "E='';");
  assert.match(launcherText('@ENV@ @SETSID@', runtime), /^'\/\S+\/env' '\/\S+\/setsid'$/u);
  assert.throws(() => launcherText('@NEW@', runtime), /@NEW@/u);
  // The real template has no placeholder that stays.
  assert.doesNotMatch(launcherText(readFileSync('src/shim/kinwatch.sh', 'utf8'), runtime), /@[A-Z]+@/u);
});

test('the launcher is written once, runs, and follows its runtime', async (t) => {
  const base = mkdtempSync(join(tmpdir(), "kw l'"));
  t.after(() => {
    rmSync(base, { recursive: true });
  });
  const dist = join(base, 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'kinwatch.in'), '#!/bin/sh\nexec @NODE@ -p "process.argv[1]" @DIST@\n');
  const runtime = { node: process.execPath, dist, electron: false };
  const path = await writeLauncher(join(base, 'store'), runtime);
  assert.equal(execFileSync(path).toString().trim(), dist);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  const { mtimeMs, ino } = statSync(path);
  await writeLauncher(join(base, 'store'), runtime);
  assert.deepEqual([statSync(path).mtimeMs, statSync(path).ino], [mtimeMs, ino]);
  await writeLauncher(join(base, 'store'), { ...runtime, node: '/bin/echo' });
  assert.notEqual(statSync(path).ino, ino);
  await assert.rejects(writeLauncher(join(base, 'store'), { ...runtime, dist: join(base, 'none') }));
});
