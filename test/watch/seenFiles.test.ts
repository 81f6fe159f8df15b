/** What may be kept of the system's files, and what never. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SeenFiles, SystemFiles } from '../../src/watch/seenFiles.ts';

const asOrdinaryUser = { skip: process.getuid?.() === 0 && 'root may write everything: nothing is kept' };

function makeDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'kw-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function inode(known: SystemFiles, path: string): string | undefined {
  const { result } = new SeenFiles(known).look(path);
  return result.kind === 'found' ? result.look.facts.inode : undefined;
}

test('a system file is looked at once for many execs', asOrdinaryUser, () => {
  const known = new SystemFiles();
  assert.equal(known.get('/bin/sh'), undefined);
  const first = new SeenFiles(known).look('/bin/sh');
  assert.equal(known.get('/bin/sh'), first);
  assert.equal(new SeenFiles(known).look('/bin/sh'), first);
});

test('a file of the user is never kept', asOrdinaryUser, (t) => {
  const known = new SystemFiles();
  const path = join(makeDirectory(t), 'tool');
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  const seen = new SeenFiles(known);
  assert.equal(seen.look(path).line?.interpreter, '/bin/sh');
  assert.equal(known.get(path), undefined);
  writeFileSync(path, '#!/bin/dash\n');
  assert.equal(seen.look(path).line?.interpreter, '/bin/sh', 'one exec is judged by one look');
  assert.equal(new SeenFiles(known).look(path).line?.interpreter, '/bin/dash');
});

test('a link that the user may turn to another system file is never kept', asOrdinaryUser, (t) => {
  const known = new SystemFiles();
  const link = join(makeDirectory(t), 'tool');
  symlinkSync('/bin/true', link);
  const before = inode(known, link);
  assert.equal(known.get(link), undefined);
  rmSync(link);
  symlinkSync('/bin/false', link);
  assert.notEqual(inode(known, link), before);
});

test('paths that are walked otherwise than they are spelled are never kept', asOrdinaryUser, () => {
  const known = new SystemFiles();
  for (const path of ['/usr/bin/../bin/true', '/usr//bin/true', '/usr/./bin/true', '/proc/self/exe']) {
    new SeenFiles(known).look(path);
    assert.equal(known.get(path), undefined, path);
  }
});

test('what is not there, or no file, is never kept', asOrdinaryUser, () => {
  const known = new SystemFiles();
  for (const path of ['/usr/bin/kinwatch-is-not-here', '/usr/bin']) {
    new SeenFiles(known).look(path);
    assert.equal(known.get(path), undefined, path);
  }
});
