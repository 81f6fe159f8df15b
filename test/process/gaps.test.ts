/** Gaps of the watch, as numbers on the session. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readStat } from '../../src/watch/proc.ts';
import type { Message } from '../desk/harness.ts';
import { isAlive, type Reviewer, Run, started, until } from './rig.ts';

const late = 'times the watch was late by more than 250 ms';
const away = 'times the desk was away';

/** The newest number of that name that the desk told of its session; undefined while none was. */
function gap(review: Reviewer, what: string): number | undefined {
  const views = review.seen.flatMap((message: Message): Message[] => {
    if (message.kind === 'snapshot') return message.sessions;
    return message.kind === 'session' ? [message.session] : [];
  });
  return views.at(-1)?.coverage.gaps[what];
}

test('a supervisor that was stopped counts that its watch was late, and the next desk hears the number too', async (t) => {
  const { rig, review, run } = await started(t);
  const root = rig.members()[0];
  assert.ok(root);
  const supervisor = readStat(root.pid)?.ppid ?? 0;
  assert.ok(supervisor > 1);
  process.kill(supervisor, 'SIGSTOP');
  try {
    // The time itself is what is measured.
    await delay(1500);
  } finally {
    process.kill(supervisor, 'SIGCONT');
  }
  await until(
    () => `lateness among ${JSON.stringify(review.seen.slice(-3))}`,
    () => (gap(review, late) ?? 0) >= 1,
  );
  assert.equal(gap(review, away), undefined);

  const before = rig.desk();
  assert.ok(before);
  process.kill(before.pid, 'SIGKILL');
  await until('another desk', () => {
    const desk = rig.desk();
    return desk !== undefined && desk.pid !== before.pid && isAlive(desk);
  });
  const again = await rig.reviewer();
  await until(
    () => `the desk's absence among ${JSON.stringify(again.seen)}`,
    () => gap(again, away) === 1,
  );
  assert.ok((gap(again, late) ?? 0) >= 1, 'what was counted before is not forgotten');
  assert.equal(Run.value(await run.answerTo(run.call('echo', { value: 'on' }))), 'on');
});
