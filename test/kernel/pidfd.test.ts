/** Ends of many processes through one descriptor. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { closeFd, openPidfd, ProcessEnds } from '../../src/kernel/pidfd.ts';

const skip = process.platform !== 'linux';

function sleeper(): { readonly child: ChildProcess; readonly pid: number; readonly pidfd: number } {
  const child = spawn('/bin/sleep', ['1000'], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const pidfd = openPidfd(pid);
  assert.ok(pidfd !== undefined);
  return { child, pid, pidfd };
}

test('each end is told once, the killed too, and the living never', { skip }, async (t) => {
  const ends = new ProcessEnds();
  t.after(() => ends.close());
  const [first, second, third] = [sleeper(), sleeper(), sleeper()] as const;
  t.after(() => third.child.kill('SIGKILL'));
  for (const { pid, pidfd } of [first, second, third]) ends.add(pidfd, pid);
  assert.deepEqual(ends.collect(), []);
  first.child.kill('SIGKILL');
  second.child.kill('SIGTERM');
  await Promise.all([once(first.child, 'exit'), once(second.child, 'exit')]);
  assert.deepEqual(new Set(ends.collect()), new Set([first.pid, second.pid]));
  assert.deepEqual(ends.collect(), []);
  for (const { pidfd } of [first, second, third]) closeFd(pidfd);
});

test('the event loop is told while nobody looks', { skip }, async (t) => {
  const ends = new ProcessEnds();
  t.after(() => ends.close());
  const { child, pid, pidfd } = sleeper();
  ends.add(pidfd, pid);
  const told = new Promise<number[]>((resolve, reject) => {
    ends.watch(() => resolve(ends.collect()), reject);
  });
  child.kill('SIGKILL');
  assert.deepEqual(await told, [pid]);
  closeFd(pidfd);
});

test('a thread id that is no process opens nothing', { skip }, () => {
  assert.equal(openPidfd(2 ** 22 + 1), undefined);
});
