import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isAlive } from '../../src/desk/processes.ts';
import { findOpenFiles, readDescriptors } from '../../src/watch/openFiles.ts';
import { keyOf, until } from '../desk/harness.ts';

/** A shell that has these open and waits. */
async function holding(t: TestContext, redirections: string, folder: string) {
  const child = spawn('/bin/sh', ['-c', `exec ${redirections}; echo ready; read line`], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const key = keyOf(child.pid ?? 0);
  t.after(async () => {
    child.kill('SIGKILL');
    await until('it has ended', () => !isAlive(key));
  });
  await until('it has opened them', () => said.includes('ready'));
  return { key, child };
}

function scratch(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kw-open-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('files of note with how they are open; the rest is counted', async (t) => {
  const home = scratch(t);
  for (const name of ['.ssh', 'src', 'tmp']) mkdirSync(join(home, name));
  for (const name of ['.ssh/id', 'src/a', 'tmp/gone']) writeFileSync(join(home, name), 'x');
  const redirections = `3<${home}/.ssh/id 4<>${home}/src/a 5>>${home}/tmp/gone 6</dev/null 7<${home}/.ssh/id`;
  const { key } = await holding(t, redirections, join(home, 'src'));
  rmSync(join(home, 'tmp/gone'));
  const found = findOpenFiles(key, {
    projects: [join(home, 'src')],
    temporary: [join(home, 'tmp')],
    home,
  });
  assert.ok(found.kind === 'read');
  assert.deepEqual(found.files, [
    { path: `${home}/.ssh/id`, note: 'credentials', access: 'read', descriptors: 2, deleted: false },
    { path: `${home}/src/a`, note: 'project', access: 'read and write', descriptors: 1, deleted: false },
    { path: `${home}/tmp/gone`, note: 'temporary', access: 'write', descriptors: 1, deleted: true },
  ]);
  assert.equal(found.cwd, join(home, 'src'));
  assert.match(found.exe ?? '', /\/(?:da|ba)?sh$/u);
  // Node gives its children sockets for pipes.
  assert.ok(found.sockets + found.pipes >= 2);
  assert.ok(found.others >= 1);
  const few = readDescriptors(key, 2);
  assert.ok(few.kind === 'read' && few.descriptors.length === 2 && few.unread >= 5);
});

test('another process of that pid is not looked at, nor one that protects itself', async (t) => {
  const { key } = await holding(t, '3</dev/null', scratch(t));
  const places = { projects: [], temporary: [], home: undefined };
  assert.deepEqual(findOpenFiles({ ...key, startTicks: key.startTicks + 1 }, places), {
    kind: 'unreadable',
    reason: 'it has ended',
  });
  if (process.getuid?.() === 0) return;
  const found = findOpenFiles({ pid: 1, startTicks: keyOf(1).startTicks }, places);
  assert.deepEqual(found, { kind: 'unreadable', reason: 'it may not be read: it protects itself' });
});
