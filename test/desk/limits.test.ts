/** What is refused in a loop, asked in a flood, or silent: bounded, counted, ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlive } from '../../src/desk/processes.ts';
import { QuestionRate } from '../../src/desk/questionRate.ts';
import { type Refusal, Refusals } from '../../src/desk/refusals.ts';
import type { Session } from '../../src/desk/sessions.ts';
import {
  keyOf,
  type Message,
  OwnPeer,
  recordsOf,
  reviewer,
  runDesk,
  runningSession,
  until,
} from './harness.ts';

function rig() {
  const written: Message[] = [];
  const shown: Message[] = [];
  const gaps = new Map<string, number>();
  let nowMs = 0;
  const refusals = new Refusals(
    { note: (body: Message) => written.push(body) } as never,
    { broadcast: (message: Message) => shown.push(message) } as never,
    () =>
      ({
        get: (id: string) => ({ id }),
        countGap: ({ id }: Session) => gaps.set(id, (gaps.get(id) ?? 0) + 1),
      }) as never,
    () => nowMs,
  );
  return { refusals, written, shown, gaps, pass: (ms: number) => (nowMs += ms) };
}

const refusal: Refusal = { what: 'connection', rule: 'malformed message', text: 'x' };

test('twenty a minute of one rule and program are written, the rest is counted once', () => {
  const { refusals, written, shown, pass } = rig();
  for (let i = 0; i < 1000; i += 1) refusals.report(refusal, '/bin/loop');
  refusals.report(refusal, '/bin/other');
  assert.equal(written.length, 21);
  pass(59_999);
  refusals.sweep();
  assert.equal(written.length, 21);
  pass(1);
  refusals.sweep();
  assert.equal(written.length, 22);
  const { kind, exe, count } = written.at(-1);
  assert.deepEqual([kind, exe, count], ['refusals counted', '/bin/loop', 980]);
  assert.match(shown.at(-1).text, /980 more refusals of \/bin\/loop since .* were counted and not listed/u);
  refusals.report(refusal, '/bin/loop');
  assert.equal(written.length, 23, 'the next minute starts anew');
});

test('a family that invents names is counted all the same, and its session says so before it ends', () => {
  const { refusals, written, gaps } = rig();
  for (let i = 0; i < 5000; i += 1) refusals.report({ ...refusal, session: 's', what: 'exec' }, `/tmp/${i}`);
  refusals.report({ ...refusal, session: 'other', what: 'exec' }, '/tmp/x');
  // Twenty names with one each, then twenty of all others together.
  assert.equal(written.length, 41);
  assert.equal(gaps.get('s'), 4960);
  assert.equal(gaps.get('other'), undefined);
  refusals.ending({ id: 's' } as Session);
  assert.deepEqual(
    [written.at(-1).kind, written.at(-1).count, written.length],
    ['refusals counted', 4960, 42],
  );
});

test('a session asks a hundred questions a minute', () => {
  let nowMs = 0;
  const rate = new QuestionRate(() => nowMs);
  const [one, other] = [{}, {}] as [Session, Session];
  const asked = (session: Session): number =>
    Array.from({ length: 150 }, () => rate.mayAsk(session)).filter(Boolean).length;
  assert.deepEqual([asked(one), asked(other)], [100, 100]);
  nowMs = 60_000;
  assert.equal(asked(one), 100);
});

test('a peer that connects in a loop fills neither journal nor panel', async (t) => {
  const desk = await runDesk(t, { timings: { sweepMs: 20 } });
  const review = await reviewer(t, desk);
  for (let i = 0; i < 60; i += 1) {
    const peer = new OwnPeer(t, desk.places.socket);
    peer.send('nonsense\n');
    await peer.next('refused');
  }
  assert.equal(recordsOf(desk, 'refusal').length, 20);
  assert.equal(review.seen.filter(({ kind }) => kind === 'refusal').length, 20);
  await desk.desk.stop('test over');
  const [counted] = recordsOf(desk, 'refusals counted');
  assert.deepEqual([counted?.rule, counted?.count], ['malformed message', 40]);
});

test('heard, a supervisor stays; silent, it and its family are ended', async (t) => {
  const desk = await runDesk(t, { timings: { sweepMs: 20, silentMs: 400 } });
  const review = await reviewer(t, desk);
  const { link, session, root } = await runningSession(t, desk, review);
  const supervisor = keyOf(link.pid);
  let sent = 0;
  const beats = setInterval(() => {
    link.send({ kind: 'heartbeat' });
    sent += 1;
  }, 20);
  t.after(() => clearInterval(beats));
  await until('twice the silence has passed', () => sent > 50);
  assert.deepEqual([isAlive(root), isAlive(supervisor)], [true, true]);
  clearInterval(beats);
  const { certificate } = await review.next('certificate');
  assert.equal(certificate.session, session);
  assert.match(certificate.cause, /no sign of life/u);
  assert.deepEqual([isAlive(root), isAlive(supervisor)], [false, false]);
});
