import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { writeEvidence } from '../../src/contain/evidence.ts';
import { installedLsof } from '../../src/contain/lsof.ts';
import { openFilesOfMembers } from '../../src/contain/openFiles.ts';
import { keyOf } from '../desk/harness.ts';

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'kw-evidence-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function program(folder: string, text: string): string {
  const path = join(folder, 'lsof');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const self = keyOf(process.pid);

function evidence(folder: string, lsof: ReturnType<typeof installedLsof>) {
  return writeEvidence({
    directory: join(folder, 'evidence'),
    session: 's',
    server: 'x',
    client: 'y',
    cause: 'z',
    members: [{ ...self, ppid: 1, state: 'T', argv: [] }],
    view: {},
    processTable: () => Promise.resolve([{ pid: 1 }]),
    openFiles: () => openFilesOfMembers([self]),
    lsof,
    budgetMs: 5_000,
  });
}

test('every descriptor of every member is kept, and what lsof says of them', async (t) => {
  const folder = scratch(t);
  const says = program(folder, 'echo "args: $*"; echo "token=abcdef0123456789"');
  const result = await evidence(folder, installedLsof([says]));
  assert.deepEqual(result.gaps, []);
  const [member] = JSON.parse(readFileSync(join(result.folder ?? '', 'openFiles.json'), 'utf8'));
  assert.equal(member.pid, process.pid);
  assert.ok(member.open.descriptors.some(({ number }: { number: number }) => number === 1));
  const text = readFileSync(join(result.folder ?? '', 'lsof.txt'), 'utf8');
  assert.match(text, new RegExp(`-p ${process.pid}$`, 'mu'));
  assert.doesNotMatch(text, /abcdef0123456789/u);
  const manifest = readFileSync(join(result.folder ?? '', 'manifest.json'), 'utf8');
  assert.match(manifest, /openFiles\.json/u);
  assert.match(manifest, /lsof\.txt/u);
});

test('lsof that is late, floods or fails is a gap; one that is not there is none', async (t) => {
  const folder = scratch(t);
  const cases: [string, RegExp][] = [
    ['exec sleep 20', /lsof\.txt was not written: (?:lsof|it) took too long/u],
    ['exec head -c 3000000 /dev/zero', /lsof\.txt was not written: /u],
    ['exit 1', /lsof\.txt was not written: lsof failed/u],
  ];
  for (const [text, gap] of cases) {
    const { gaps, manifest } = await evidence(folder, installedLsof([program(folder, text)]));
    assert.match(gaps.join('\n'), gap);
    assert.ok(manifest !== null);
  }
  const without = await evidence(folder, installedLsof([join(folder, 'nothing')]));
  assert.deepEqual(without.gaps, []);
  assert.equal(existsSync(join(without.folder ?? '', 'lsof.txt')), false);
});
