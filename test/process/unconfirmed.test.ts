/** Programs without a C library make no call that confirms them (THREATS 6): they are looked at, told and counted. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordsOf } from '../desk/harness.ts';
import { isAlive, isExec, type Reviewer, started, until } from './rig.ts';

/** Machine code: waits for ever, and ends at once. */
const code = {
  x64: { machine: 62, waits: 'b8220000000f05ebf7', ends: '31ffb83c0000000f05' },
  arm64: {
    machine: 183,
    waits: '000080d2010080d2020080d2030080d2280980d2010000d4faffff17',
    ends: '000080d2a80b80d2010000d4',
  },
}[process.arch as 'x64' | 'arm64'];

/** A static ELF file of one segment: `elf(5)`. */
function program(path: string, text: string): string {
  const headers = 64 + 56;
  const body = Buffer.from(text, 'hex');
  const file = Buffer.alloc(headers + body.length);
  const at = 0x400000n;
  file.write('\x7fELF\x02\x01\x01', 'latin1');
  file.writeUInt16LE(2, 16);
  file.writeUInt16LE(code.machine, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(at + BigInt(headers), 24);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(64, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(1, 64);
  file.writeUInt32LE(5, 68);
  file.writeBigUInt64LE(at, 80);
  file.writeBigUInt64LE(at, 88);
  file.writeBigUInt64LE(BigInt(file.length), 96);
  file.writeBigUInt64LE(BigInt(file.length), 104);
  file.writeBigUInt64LE(0x1000n, 112);
  body.copy(file, headers);
  writeFileSync(path, file);
  chmodSync(path, 0o755);
  return path;
}

function gap(review: Reviewer, name: string): number | undefined {
  return review.seen.findLast(({ kind }) => kind === 'session')?.session.coverage.gaps[name];
}

test('programs without a C library stand in the tree and are counted', { timeout: 120_000 }, async (t) => {
  const { rig, review, run } = await started(t);
  const waits = program(join(rig.home, 'waits'), code.waits);
  const ends = program(join(rig.home, 'ends'), code.ends);
  run.call('background', { command: waits, args: ['one', 'two'] });
  await review.decide('once', isExec);
  const found = await until('it is confirmed', () =>
    recordsOf(rig, 'confirmed').find(({ exe }) => exe === waits),
  );
  assert.deepEqual(found.argv, [waits, 'one', 'two']);
  await until('it is counted', () => gap(review, 'programs confirmed late') === 1);
  const call = run.call('run', { command: ends });
  await review.decide('once', (question) => isExec(question) && question.headline.includes(ends));
  await run.answerTo(call);
  await until('it is counted too', () => gap(review, 'programs that ended before they were confirmed') === 1);
  run.child.stdin.end();
  const { certificate } = await review.find('certificate');
  assert.deepEqual([certificate.survivors, certificate.proved], [0, true]);
  assert.equal(rig.members().some(isAlive), false);
});

test('programs with one are not', { timeout: 120_000 }, async (t) => {
  const { review, run } = await started(t);
  const script = 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done; exec /bin/true';
  const call = run.call('run', { command: '/bin/sh', args: ['-c', script] });
  for (let question = 0; question < 2; question += 1) await review.decide('session', isExec);
  await run.answerTo(call);
  run.child.stdin.end();
  await review.find('certificate');
  assert.equal(gap(review, 'programs that ended before they were confirmed'), undefined);
});
