/** Held programs: answered, granted, expired, alone; and what is on the disk by then. */
import assert from 'node:assert/strict';
import { fdatasync, ftruncateSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { type FileCalls, openLineJournal } from '../../src/journal/lineWriter.ts';
import {
  execFacts,
  inMs,
  keyOf,
  operator,
  readRecords,
  recordsOf,
  reviewer,
  runDesk,
  runningSession,
  until,
} from './harness.ts';

test('a decision is on the disk before the supervisor hears it', async (t) => {
  let hold = false;
  let release: (() => void) | undefined;
  const calls: FileCalls = {
    write: (fd, bytes) => writeSync(fd, bytes),
    truncate: ftruncateSync,
    sync: (fd, done) => {
      if (hold) release = () => fdatasync(fd, done);
      else fdatasync(fd, done);
    },
  };
  const desk = await runDesk(t, { openJournal: (directory) => openLineJournal(directory, calls) });
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  link.send({ kind: 'ask', ref: 'a', facts: execFacts(root), heldUntil: inMs(60_000) });
  const question = await review.next('question');
  assert.match(question.headline, /ssh/);
  assert.deepEqual(question.options, ['deny', 'once', 'session', 'contain']);
  assert.equal(question.expiresAt, question.heldUntil);
  assert.equal((await review.next('exec')).step, 'held');
  hold = true;
  review.send({ kind: 'answer', id: question.id, choice: 'once' });
  const sync = await until('the sync of the decision', () => release);
  // A whole round trip of the desk later nothing has been released.
  const other = await operator(t, desk);
  other.send({ kind: 'ps' });
  await other.next('sessions');
  link.send({ kind: 'coverage', coverage: { level: 'held', text: 'round trip', gaps: {} } });
  await review.next('session', (message) => message.session.coverage.text === 'round trip');
  assert.deepEqual(link.seen, []);
  hold = false;
  sync();
  const decision = await link.next('decision');
  assert.deepEqual([decision.ref, decision.allow, decision.scope], ['a', true, 'once']);
  const written = recordsOf(desk, 'decision').find((body) => body.question === question.id);
  assert.equal(written?.allow, true);
  const { pid, startTicks } = keyOf(process.pid);
  assert.deepEqual(written?.by, { kind: 'reviewer', pid, startTicks });
  assert.equal((await review.next('answered', ({ id }) => id === question.id)).outcome, 'accepted');
});

test('the first answer counts; denied names what and why; contain contains', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const second = await reviewer(t, desk);
  const { link, root, session } = await runningSession(t, desk, review);
  link.send({ kind: 'ask', ref: 'a', facts: execFacts(root), heldUntil: inMs(60_000) });
  const question = await review.next('question');
  review.send({ kind: 'answer', id: question.id, choice: 'deny' });
  const decision = await link.next('decision');
  assert.deepEqual(decision, {
    kind: 'decision',
    ref: 'a',
    allow: false,
    rule: 'denied by reviewer',
    text: 'Kinwatch denied /usr/bin/ssh: denied by the reviewer',
  });
  await second.next('answered', ({ id }) => id === question.id);
  second.send({ kind: 'answer', id: question.id, choice: 'once' });
  const repeated = await second.next(
    'answered',
    ({ id, outcome }) => id === question.id && outcome !== 'accepted',
  );
  assert.equal(repeated.outcome, 'already answered');
  assert.deepEqual(link.seen, []);

  link.send({ kind: 'ask', ref: 'b', facts: execFacts(root), heldUntil: inMs(60_000) });
  link.send({
    kind: 'ask',
    ref: 'c',
    facts: execFacts(root, { argv: ['ssh', 'other'] }),
    heldUntil: inMs(60_000),
  });
  const next = await review.next('question', ({ id }) => id !== question.id);
  await review.next('question', ({ id }) => id !== next.id);
  review.send({ kind: 'answer', id: next.id, choice: 'contain' });
  await until('all three', () => link.seen.length === 3);
  assert.deepEqual(
    link.seen.map(({ kind, rule }) => rule ?? kind),
    ['contain', 'contained by reviewer', 'contained by reviewer'],
    'the containment stands in front of the decisions',
  );
  link.send({ kind: 'ask', ref: 'd', facts: execFacts(root), heldUntil: inMs(60_000) });
  await link.next('decision', ({ ref, rule }) => ref === 'd' && rule === 'family is ending');
  assert.equal(recordsOf(desk, 'containment asked')[0]?.session, session);
});

test('allowed for the session: the same program is not asked again, another text is', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  const inline = (text: string) =>
    execFacts(root, { program: { ...execFacts(root).program, inline: { option: '-c', text } } });
  link.send({ kind: 'ask', ref: 'a', facts: inline('ls'), heldUntil: inMs(60_000) });
  const question = await review.next('question');
  review.send({ kind: 'answer', id: question.id, choice: 'session' });
  assert.equal((await link.next('decision')).scope, 'session');
  link.send({ kind: 'ask', ref: 'b', facts: inline('ls'), heldUntil: inMs(60_000) });
  const granted = await link.next('decision');
  assert.deepEqual([granted.ref, granted.allow, granted.scope], ['b', true, 'session']);
  const record = recordsOf(desk, 'decision').at(-1);
  assert.deepEqual(record?.by, { kind: 'grant', question: question.id });
  link.send({ kind: 'ask', ref: 'c', facts: inline('rm -rf ~'), heldUntil: inMs(60_000) });
  const other = await review.next('question');
  link.send({ kind: 'withdraw', ref: 'c', reason: 'the request was cancelled' });
  const withdrawn = await review.next('withdrawn');
  assert.deepEqual([withdrawn.id, withdrawn.reason], [other.id, 'the request was cancelled']);
  review.send({ kind: 'answer', id: other.id, choice: 'once' });
  assert.equal((await review.next('answered', ({ id }) => id === other.id)).outcome, 'late');
  // Code on standard input is never covered by a grant.
  const piped = execFacts(root, { program: { ...execFacts(root).program, codeOnStdin: true } });
  for (const ref of ['d', 'e']) {
    link.send({ kind: 'ask', ref, facts: piped, heldUntil: inMs(60_000) });
    const asked = await review.next('question');
    review.send({ kind: 'answer', id: asked.id, choice: 'session' });
    await link.next('decision');
  }
});

test('no answer in time is a denial, and the answer after it is late', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  link.send({ kind: 'ask', ref: 'a', facts: execFacts(root), heldUntil: inMs(30) });
  const { id } = await review.next('question');
  const decision = await link.next('decision');
  assert.equal(decision.rule, 'no answer in time');
  assert.equal((await review.next('withdrawn')).reason, 'no answer in time');
  review.send({ kind: 'answer', id, choice: 'once' });
  assert.equal((await review.next('answered', (message) => message.id === id)).outcome, 'late');
  assert.equal(recordsOf(desk, 'answer ignored')[0]?.outcome, 'late');
});

test('no reviewer connected: denied early, naming how to open one', async (t) => {
  const desk = await runDesk(t, { timings: { noReviewerMs: 30 } });
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  link.send({ kind: 'ask', ref: 'a', facts: execFacts(root), heldUntil: inMs(60_000) });
  await review.next('question');
  // It goes away while the question is open.
  review.socket.destroy();
  const decision = await link.next('decision');
  assert.equal(decision.rule, 'no reviewer connected');
  assert.match(decision.text, /Kinwatch: Show Panel/);
  link.send({ kind: 'ask', ref: 'b', facts: execFacts(root), heldUntil: inMs(60_000) });
  assert.equal((await link.next('decision')).rule, 'no reviewer connected');
});

test('a reviewer who comes in time finds the question in the snapshot', async (t) => {
  const desk = await runDesk(t, { timings: { noReviewerMs: 5_000 } });
  const first = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, first);
  first.socket.destroy();
  link.send({ kind: 'ask', ref: 'a', facts: execFacts(root), heldUntil: inMs(60_000) });
  await until('the question', () => recordsOf(desk, 'question asked').length === 2);
  const late = await reviewer(t, desk);
  const id = recordsOf(desk, 'question asked')[1]?.question.id;
  late.send({ kind: 'answer', id, choice: 'once' });
  assert.equal((await link.next('decision')).allow, true);
});

test('a record that cannot be written makes an allow a denial', async (t) => {
  let isFull = false;
  const calls: FileCalls = {
    write: (fd, bytes) => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      return writeSync(fd, bytes);
    },
    truncate: ftruncateSync,
    sync: fdatasync,
  };
  const desk = await runDesk(t, { openJournal: (directory) => openLineJournal(directory, calls) });
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  link.send({ kind: 'ask', ref: 'a', facts: execFacts(root), heldUntil: inMs(60_000) });
  const { id } = await review.next('question');
  isFull = true;
  review.send({ kind: 'answer', id, choice: 'session' });
  const decision = await link.next('decision');
  assert.deepEqual([decision.allow, decision.rule], [false, 'record could not be written']);
  assert.match(decision.text, /free disk space/);
  assert.equal((await review.next('answered', (message) => message.id === id)).choice, 'deny');
  const told = await review.next('refusal', ({ rule }) => rule === 'record could not be written');
  assert.match(told.text, /ENOSPC/);
  // Writing works again: the gap is written first, and nothing was granted meanwhile.
  isFull = false;
  link.send({ kind: 'ask', ref: 'b', facts: execFacts(root), heldUntil: inMs(60_000) });
  const again = await review.next('question');
  review.send({ kind: 'answer', id: again.id, choice: 'once' });
  assert.equal((await link.next('decision')).allow, true);
  assert.equal(recordsOf(desk, 'gap')[0]?.lost, 1);
  const sequences = readRecords(desk).map(({ sequence }) => sequence);
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => index + 1),
  );
});

test('secrets in arguments are masked in journal and mirror', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  const canary = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const argv = ['git', 'push', `https://u:${canary}@example.org/x`, '--password', 'correct-horse-battery'];
  const program = { executable: { ...execFacts(root).program.executable, path: '/usr/bin/git' } };
  link.send({ kind: 'ask', ref: 'a', facts: execFacts(root, { argv, program }), heldUntil: inMs(20) });
  await link.next('decision');
  const exec = {
    ...root,
    step: 'released',
    exe: '/usr/bin/git',
    argv,
    cwd: '/',
    at: new Date().toISOString(),
  };
  const { startTicks: _, ...message } = exec;
  link.send({ kind: 'exec', because: 'test', ...message });
  await review.next('exec', ({ step }) => step === 'released');
  await review.next('exec', ({ step }) => step === 'held');
  const everything = JSON.stringify([readRecords(desk), review.seen]);
  assert.ok(!everything.includes(canary));
  const at = everything.indexOf('correct-horse-battery');
  assert.equal(at, -1, everything.slice(Math.max(0, at - 300), at + 60));
});
