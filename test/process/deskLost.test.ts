import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAlive, isExec, Run, started, until } from './rig.ts';

test('the desk is killed while a program is held: it stays held, the next desk asks again, the answer counts', async (t) => {
  const { rig, review, run } = await started(t);
  const marker = join(rig.home, 'ran');
  const call = run.call('run', { command: '/usr/bin/touch', args: [marker] });
  await review.find('question', isExec);
  const before = rig.desk();
  assert.ok(before);
  process.kill(before.pid, 'SIGKILL');
  const after = await until('another desk', () => {
    const desk = rig.desk();
    return desk !== undefined && desk.pid !== before.pid && isAlive(desk) ? desk : undefined;
  });
  assert.equal(existsSync(marker), false);
  const again = await rig.reviewer();
  const held = await again.find('question', isExec);
  assert.equal(existsSync(marker), false, 'nothing was released meanwhile');
  again.answer(held.id, 'once');
  assert.equal(Run.value(await run.answerTo(call)).code, 0);
  assert.ok(existsSync(marker));
  await again.find('birth', ({ session }) => session === held.session);
  assert.ok(isAlive(after));
  run.child.stdin.end();
  await run.ended();
  const { certificate } = await again.find('certificate');
  assert.equal(certificate.proved, true);
});

test('no desk comes back: after five seconds the family is ended', async (t) => {
  const { rig, run } = await started(t);
  const before = rig.desk();
  assert.ok(before);
  // Whoever holds the lock is the desk: another one cannot start.
  const holder = spawn('flock', [join(rig.places.runtime, 'desk.lock'), 'sleep', '60'], { stdio: 'ignore' });
  t.after(() => holder.kill('SIGKILL'));
  process.kill(before.pid, 'SIGKILL');
  await run.ended();
  assert.match(run.stderr, /desk/u);
  assert.equal(rig.members().some(isAlive), false);
});
