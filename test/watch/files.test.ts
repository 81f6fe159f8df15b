import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { digestFile, type FileLook, isUnchanged, lookAtFile } from '../../src/watch/files.ts';

const asRoot = process.getuid?.() === 0;

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'kwf-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function look(path: string): FileLook {
  const result = lookAtFile(path);
  assert.equal(result.kind, 'found', path);
  return result.kind === 'found' ? result.look : assert.fail();
}

test('what is not there, with the errno that exec would give', (t) => {
  const home = folder(t);
  writeFileSync(join(home, 'plain'), '');
  symlinkSync('ring', join(home, 'ring'));
  symlinkSync('nowhere', join(home, 'dangling'));
  const code = (name: string): string => {
    const result = lookAtFile(join(home, name));
    return result.kind === 'absent' ? result.code : 'found';
  };
  assert.equal(code('gone'), 'ENOENT');
  assert.equal(code('dangling'), 'ENOENT');
  assert.equal(code('plain/below'), 'ENOTDIR');
  assert.equal(code('ring'), 'ELOOP');
  assert.equal(code('x'.repeat(300)), 'ENAMETOOLONG');
});

test('the real file behind links and dots', (t) => {
  const home = folder(t);
  mkdirSync(join(home, 'a/b'), { recursive: true });
  writeFileSync(join(home, 'a/file'), 'inner');
  writeFileSync(join(home, 'file'), 'outer!');
  symlinkSync('a/b', join(home, 'link'));
  // `link/..` is `a`, not `home`: the kernel's way, not the text's.
  const found = look(`${home}/link/../file`);
  assert.equal(found.facts.path, join(home, 'a/file'));
  assert.equal(found.facts.sizeBytes, 5);
});

test('who could change it: the system’s own files nobody, ours and open ones we', { skip: asRoot }, (t) => {
  assert.equal(look('/bin/sh').facts.writable, false);
  assert.equal(look('/bin/sh').facts.ownerUid, 0);
  const home = folder(t);
  const own = join(home, 'own');
  writeFileSync(own, '');
  chmodSync(own, 0o444);
  assert.equal(look(own).facts.writable, true, 'its owner may change its mode');
  // A name of a system file in our folder: the real file counts.
  symlinkSync('/bin/sh', join(home, 'sh'));
  assert.equal(look(join(home, 'sh')).facts.writable, false);
  // A device that everyone may write.
  assert.equal(look('/dev/null').facts.writable, true);
});

test('a sticky directory protects another’s entry, and not ours', { skip: asRoot }, (t) => {
  // Below /tmp (root's, sticky, open to all) everything of root's is safe from us, our own folder is not.
  assert.equal(look('/tmp').facts.mode & 0o1000, 0o1000, 'this machine’s /tmp is sticky');
  assert.equal(look('/tmp').facts.writable, true);
  const home = folder(t);
  mkdirSync(join(home, 'ours'));
  chmodSync(join(home, 'ours'), 0o1777);
  writeFileSync(join(home, 'ours/file'), '');
  assert.equal(look(join(home, 'ours/file')).facts.writable, true);
});

test('rights as access(2) says, not as the mode looks', { skip: asRoot }, (t) => {
  const home = folder(t);
  const path = join(home, 'file');
  writeFileSync(path, '');
  for (const [mode, executable, readable] of [
    [0o755, true, true],
    [0o644, false, true],
    [0o311, true, false],
    // Our own bits count, however open it is to others.
    [0o077, false, false],
  ] as const) {
    chmodSync(path, mode);
    assert.deepEqual([look(path).executable, look(path).readable], [executable, readable], mode.toString(8));
  }
  assert.equal(look(home).isFile, false);
});

test('changed or not', (t) => {
  const home = folder(t);
  const path = join(home, 'file');
  const made = (): FileLook => (writeFileSync(path, 'one'), look(path));
  const changes: [string, () => void, boolean][] = [
    ['nothing', () => undefined, true],
    ['content of the same length', () => writeFileSync(path, 'two'), false],
    [
      'replaced',
      () => (writeFileSync(join(home, 'other'), 'one'), renameSync(join(home, 'other'), path)),
      false,
    ],
    ['its mode', () => chmodSync(path, 0o600), false],
    ['another name for it', () => linkSync(path, join(home, 'second')), false],
    ['gone', () => rmSync(path), false],
  ];
  for (const [name, change, unchanged] of changes) {
    rmSync(path, { force: true });
    const before = made();
    // Change times move with the kernel's tick: the next one must be another.
    const probe = join(home, 'probe');
    for (writeFileSync(probe, ''); look(probe).changedNs <= before.changedNs;) writeFileSync(probe, 'x');
    change();
    assert.equal(isUnchanged(before), unchanged, name);
  }
});

test('digests', async (t) => {
  const path = join(folder(t), 'file');
  writeFileSync(path, 'abc');
  const expected = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  assert.equal(await digestFile(path, 3), expected);
  assert.equal(await digestFile(path, 513 * 1024 * 1024), undefined, 'too large to be read');
  assert.equal(await digestFile(`${path}.gone`, 3), undefined);
});
