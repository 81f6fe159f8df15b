/** Starts: waiting, rejoining, late answers, repeated launches, workspaces that are not trusted. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { StartFacts } from '../../src/core/facts.ts';
import {
  ChildPeer,
  inMs,
  recordsOf,
  reviewer,
  runDesk,
  runningSession,
  startFacts,
  supervisor,
  type TestDesk,
  until,
} from './harness.ts';

async function launch(
  t: TestContext,
  desk: TestDesk,
  change: Partial<StartFacts> = {},
  heldMs = 60_000,
): Promise<{ link: ChildPeer; session: string }> {
  const link = await supervisor(t, desk);
  link.send({ kind: 'open', facts: startFacts(change), heldUntil: inMs(heldMs) });
  return { link, session: (await link.next('opened')).session };
}

test('the card of a start, and its start log in the journal', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { session } = await launch(t, desk);
  const question = await review.next('question');
  assert.equal(question.transition, 'first start');
  assert.match(question.headline, /will start files as dev/);
  assert.equal(question.expiresAt, undefined);
  assert.equal(question.session, session);
  const opened = recordsOf(desk, 'session opened')[0];
  assert.equal(opened?.entry, 'first');
  assert.deepEqual(
    [
      opened?.facts.environment.path,
      opened?.facts.environment.home,
      opened?.facts.environment.tmpdir,
      opened?.facts.cwd,
    ],
    ['/usr/bin:/bin', '/home/dev', '/tmp', '/home/dev/src'],
  );
  assert.match(opened?.facts.program.executable.digest ?? '', /^sha256:/);
  review.send({ kind: 'answer', id: question.id, choice: 'contain' });
  assert.match((await review.next('failed')).reason, /answer with deny, once, session/);
});

test('no answer in time: it stays open, and the next launch rejoins it', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const first = await launch(t, desk, {}, 30);
  const question = await review.next('question');
  const waited = await first.link.next('decision');
  assert.deepEqual([waited.allow, waited.rule, waited.rejoin], [false, 'no answer in time', true]);
  assert.match(waited.text, /Allow it there, then start it again/);
  first.link.process.kill('SIGKILL');
  const second = await launch(t, desk);
  assert.equal(second.session, first.session);
  const renewed = await review.next('question');
  assert.equal(renewed.id, question.id);
  assert.ok(renewed.heldUntil > question.heldUntil);
  review.send({ kind: 'answer', id: question.id, choice: 'once' });
  assert.equal((await second.link.next('decision')).allow, true);
  assert.deepEqual(
    recordsOf(desk, 'session opened').map(({ entry }) => entry),
    ['first', 'rejoined'],
  );
});

test('an allow that came while nobody waited counts for one launch', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const first = await launch(t, desk);
  const question = await review.next('question');
  // The client gives up: its supervisor goes away before the answer.
  first.link.process.kill('SIGKILL');
  await until(
    'parked',
    () =>
      first.link.isClosed || first.link.process.exitCode !== null || first.link.process.signalCode !== null,
  );
  review.send({ kind: 'answer', id: question.id, choice: 'once' });
  await review.next('answered', ({ outcome }) => outcome === 'accepted');
  const second = await launch(t, desk);
  assert.equal((await second.link.next('decision')).allow, true);
  const third = await launch(t, desk);
  assert.notEqual(third.session, second.session);
  await review.next('question', ({ id }) => id !== question.id);
  assert.deepEqual(third.link.seen, []);
});

test('a late allow that nobody takes up ends', async (t) => {
  const desk = await runDesk(t, { timings: { lateAllowMs: 1, sweepMs: 10 } });
  const review = await reviewer(t, desk);
  const first = await launch(t, desk, {}, 10);
  const question = await review.next('question');
  await first.link.next('decision');
  review.send({ kind: 'answer', id: question.id, choice: 'once' });
  const ended = await review.next('session', ({ session }) => session.state === 'ended');
  assert.equal(ended.session.cause, 'it was allowed and not started again in time');
});

test('another thing does not rejoin', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  await launch(t, desk, {}, 10).then(({ link }) => link.next('decision'));
  const { id } = await review.next('question');
  const base = startFacts();
  const digest = `sha256:${'c'.repeat(64)}`;
  const others: Partial<StartFacts>[] = [
    { server: 'other' },
    { argv: ['server-files', '/'] },
    { cwd: '/' },
    { program: { executable: { ...base.program.executable, digest } } },
    { environment: { ...base.environment, passed: ['HOME', 'NODE_OPTIONS', 'PATH'] } },
  ];
  for (const change of others) {
    await launch(t, desk, change);
    await review.next('question', (question) => question.id !== id);
  }
});

test('allowed for the session: relaunches by the same client are not asked', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const first = await launch(t, desk);
  const question = await review.next('question');
  review.send({ kind: 'answer', id: question.id, choice: 'session' });
  assert.equal((await first.link.next('decision')).scope, 'session');
  const second = await launch(t, desk);
  assert.equal((await second.link.next('decision')).scope, 'session');
  assert.deepEqual(recordsOf(desk, 'decision').at(-1)?.by, { kind: 'grant', question: question.id });
  const { link } = await launch(t, desk, { cwd: '/' });
  await review.next('question', ({ id }) => id !== question.id);
  assert.deepEqual(link.seen, []);
});

test('denied: the session ends when its supervisor leaves', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, session } = await launch(t, desk);
  const question = await review.next('question');
  review.send({ kind: 'answer', id: question.id, choice: 'deny' });
  const decision = await link.next('decision');
  assert.deepEqual(
    [decision.rule, decision.text, decision.rejoin],
    ['denied by reviewer', 'Kinwatch denied the start of files: denied by the reviewer', undefined],
  );
  link.process.kill('SIGKILL');
  const ended = await review.next('session', (message) => message.session.state === 'ended');
  assert.equal(ended.session.session, session);
});

test('a server defined in a workspace that is not trusted is denied', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  review.send({ kind: 'workspace', folders: ['/home/dev/src/shop'], trusted: false });
  review.send({ kind: 'answer', id: 'round trip', choice: 'deny' });
  await review.next('answered');
  const { link } = await launch(t, desk, { source: '/home/dev/src/shop/.vscode/mcp.json' });
  assert.equal((await link.next('decision')).rule, 'defined in an untrusted workspace');
  await review.next('refusal', ({ what }) => what === 'start');
  const near = await launch(t, desk, { source: '/home/dev/src/shopping/mcp.json', server: 'near' });
  await review.next('question', ({ server }) => server === 'near');
  assert.deepEqual(near.link.seen, []);
});

test('a supervisor returns to a new desk: its session is taken up unasked, its members are known again', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { session } = await runningSession(t, desk, review);
  const next = await runDesk(t);
  const { places } = next;
  const resumed = new ChildPeer(t, places.socket).connect();
  resumed.send({ kind: 'hello', role: 'supervisor', protocol: 1, session });
  await resumed.next('welcome');
  resumed.send({ kind: 'open', facts: startFacts(), heldUntil: inMs(60_000) });
  assert.equal((await resumed.next('opened')).session, session);
  const taken = new ChildPeer(t, places.socket).connect();
  taken.send({ kind: 'hello', role: 'supervisor', protocol: 1, session });
  taken.send({ kind: 'open', facts: startFacts(), heldUntil: inMs(60_000) });
  assert.match((await taken.next('refused')).reason, /cannot be resumed/);
});

test('credential files where the server works are added to the open card and recorded, by name', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'kwd-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, '.env'), 'NAME=not-for-the-card');
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { session } = await launch(t, desk, { cwd: home });
  const first = await review.next('question');
  const rowsOf = (rows: readonly { readonly label: string }[]): string[] => rows.map(({ label }) => label);
  assert.equal(
    rowsOf(first.rows).includes('Within reach'),
    false,
    'the question does not wait for the search',
  );
  const more = await review.next('question', ({ id }) => id === first.id);
  const labels = rowsOf(more.rows);
  assert.equal(labels.indexOf('Within reach'), labels.indexOf('In') + 1);
  assert.match(JSON.stringify(more.rows), /1 credential file where it works.*\.env/u);
  assert.deepEqual(recordsOf(desk, 'credential files'), [
    { kind: 'credential files', session, files: [join(home, '.env')], complete: true },
  ]);
  assert.doesNotMatch(
    JSON.stringify(recordsOf(desk, 'question asked')) + JSON.stringify(more),
    /not-for-the-card/u,
  );
});
