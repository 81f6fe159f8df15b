/** Held connections: one question for one place, answered, granted, withdrawn; other addresses of one name. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ConnectionFacts } from '../../../src/core/facts.ts';
import {
  type ChildPeer,
  connectionFacts,
  type DeskChange,
  execFacts,
  inMs,
  keyOf,
  type OwnPeer,
  recordsOf,
  reviewer,
  runDesk,
  runningSession,
  type TestDesk,
  until,
} from '../harness.ts';

interface Scene {
  readonly desk: TestDesk;
  readonly review: OwnPeer;
  readonly link: ChildPeer;
  readonly session: string;
  readonly root: ReturnType<typeof keyOf>;
  /** Asks for a connection of the root, or of another process. */
  readonly ask: (ref: string, change?: Partial<ConnectionFacts>, heldForMs?: number) => void;
}

async function scene(t: TestContext, change: DeskChange = {}): Promise<Scene> {
  const desk = await runDesk(t, change);
  const review = await reviewer(t, desk);
  const { link, session, root } = await runningSession(t, desk, review);
  const ask: Scene['ask'] = (ref, facts = {}, heldForMs = 60_000) =>
    link.send({
      kind: 'ask connection',
      ref,
      facts: connectionFacts(root, facts),
      heldUntil: inMs(heldForMs),
    });
  return { desk, review, link, session, root, ask };
}

const address = (text: string) => ({ endpoint: { kind: 'inet', address: text, port: 22 } }) as const;

test('several connections of one program to one place are one question, and are denied together', async (t) => {
  const { desk, review, link, session, root, ask } = await scene(t);
  ask('a');
  const question = await review.next('question');
  assert.equal(question.transition, 'local to network');
  assert.deepEqual(question.process, { pid: root.pid, startedAt: root.startedAt });
  assert.match(question.headline, /ssh will connect to build\.example port 22/u);
  assert.deepEqual(await review.next('connection'), {
    kind: 'connection',
    session,
    pid: root.pid,
    startedAt: root.startedAt,
    action: 'connect',
    transport: 'tcp',
    endpoint: { kind: 'inet', address: '198.51.100.7', port: 22 },
    host: 'build.example',
    step: 'held',
  });
  ask('b', address('198.51.100.8'));
  await review.next('connection', ({ step }) => step === 'held');
  ask('c', { host: 'other.example' });
  const other = await review.next('question', ({ id }) => id !== question.id);
  assert.match(other.headline, /other\.example/u);
  review.send({ kind: 'answer', id: question.id, choice: 'deny' });
  await until('both decisions', () => link.seen.length === 2);
  const said = {
    kind: 'decision',
    allow: false,
    rule: 'denied by reviewer',
    text: 'Kinwatch denied the connection of /usr/bin/ssh to build.example port 22: denied by the reviewer',
  };
  assert.deepEqual(link.seen.splice(0), [
    { ...said, ref: 'a' },
    { ...said, ref: 'b' },
  ]);
  await review.next('connection', ({ step }) => step === 'refused');
  await review.next('connection', ({ step }) => step === 'refused');

  const asked = recordsOf(desk, 'question asked').find((body) => body.question.id === question.id);
  assert.equal(asked?.facts !== undefined && 'endpoint' in asked.facts, true);
  assert.equal(recordsOf(desk, 'question joined')[0]?.question, question.id);
  const decisions = recordsOf(desk, 'decision').filter((body) => body.question === question.id);
  assert.deepEqual(
    decisions.map(({ subject, transition, allow }) => [subject, transition, allow]),
    [['/usr/bin/ssh to build.example port 22', 'local to network', false]],
    'one decision for one question',
  );
});

test('allowed for the session: the same program and place is not asked again, another is', async (t) => {
  const { desk, review, link, ask } = await scene(t);
  ask('a');
  const question = await review.next('question');
  review.send({ kind: 'answer', id: question.id, choice: 'session' });
  assert.equal((await link.next('decision')).scope, 'session');
  ask('b');
  const granted = await link.next('decision');
  assert.deepEqual([granted.ref, granted.allow, granted.scope], ['b', true, 'session']);
  assert.deepEqual(recordsOf(desk, 'decision').at(-1)?.by, { kind: 'grant', question: question.id });
  ask('other port', { endpoint: { kind: 'inet', address: '198.51.100.7', port: 2222 } });
  ask('other program', {
    program: {
      executable: {
        ...connectionFacts(keyOf(process.pid)).program.executable,
        digest: `sha256:${'c'.repeat(64)}`,
      },
    },
  });
  const headlines = [await review.next('question'), await review.next('question')];
  assert.equal(new Set(headlines.map(({ id }) => id)).size, 2);
  assert.deepEqual(link.seen, []);
});

test('one answer counts for the other addresses of a name, until one of them answered', async (t) => {
  const { review, link, root, ask } = await scene(t);
  ask('a');
  const question = await review.next('question');
  review.send({ kind: 'answer', id: question.id, choice: 'once' });
  await link.next('decision', ({ ref, scope }) => ref === 'a' && scope === 'once');
  ask('b', address('198.51.100.8'));
  await link.next('decision', ({ ref, scope }) => ref === 'b' && scope === 'once');
  // This machine itself is not what was shown, whatever its name.
  ask('local', address('127.0.0.1'));
  const local = await review.next('question');
  assert.match(local.headline, /this machine/u);
  const { action, transport, host } = connectionFacts(root);
  link.send({
    kind: 'connection',
    pid: root.pid,
    startedAt: root.startedAt,
    step: 'done',
    action,
    transport,
    host,
    ...address('198.51.100.8'),
    at: inMs(0),
  });
  ask('c', address('198.51.100.9'));
  const again = await review.next('question');
  assert.match(again.headline, /build\.example/u);
  review.send({ kind: 'answer', id: again.id, choice: 'deny' });
  await link.next('decision', ({ ref, allow }) => ref === 'c' && !allow);
  ask('d', address('198.51.100.10'));
  const denied = await link.next('decision');
  assert.deepEqual([denied.ref, denied.rule], ['d', 'denied by reviewer']);
  ask('e', address('198.51.100.10'));
  await review.next('question');
});

test('a caller that goes away leaves the others waiting; the last one takes the question with it', async (t) => {
  const { desk, review, link, ask } = await scene(t);
  ask('a');
  const question = await review.next('question');
  ask('b', address('198.51.100.8'));
  await review.next('connection');
  await review.next('connection', ({ endpoint }) => endpoint.address === '198.51.100.8');
  link.send({ kind: 'withdraw', ref: 'a', reason: 'the process that asked has ended' });
  await review.next('connection', ({ step }) => step === 'refused');
  assert.equal(
    review.seen.some(({ kind }) => kind === 'withdrawn'),
    false,
  );
  link.send({ kind: 'withdraw', ref: 'b', reason: 'the process that asked has ended' });
  assert.equal((await review.next('withdrawn')).id, question.id);
  assert.equal(recordsOf(desk, 'decision').at(-1)?.rule, 'caller went away');
  review.send({ kind: 'answer', id: question.id, choice: 'once' });
  assert.equal((await review.next('answered', ({ id }) => id === question.id)).outcome, 'late');
  assert.deepEqual(link.seen, []);
});

test('contain refuses what waits; afterwards nothing is asked', async (t) => {
  const { review, link, root, ask } = await scene(t);
  ask('a');
  const question = await review.next('question');
  link.send({ kind: 'ask', ref: 'x', facts: execFacts(root), heldUntil: inMs(60_000) });
  await review.next('question', ({ transition }) => transition === 'new executable');
  review.send({ kind: 'answer', id: question.id, choice: 'contain' });
  await until('the containment and both refusals', () => link.seen.length === 3);
  assert.deepEqual(
    link.seen.splice(0).map(({ kind, rule }) => rule ?? kind),
    ['contain', 'contained by reviewer', 'contained by reviewer'],
  );
  ask('b');
  await link.next('decision', ({ ref, rule }) => ref === 'b' && rule === 'family is ending');
});

test('nobody answers, nobody is there, or the workspace is not trusted: denied by its own rule', async (t) => {
  const { desk, review, link, ask } = await scene(t, { timings: { noReviewerMs: 200 } });
  ask('late', {}, 50);
  await link.next('decision', ({ ref, rule }) => ref === 'late' && rule === 'no answer in time');
  review.send({ kind: 'workspace', folders: ['/home/dev/src'], trusted: false });
  const script = { ...connectionFacts(keyOf(process.pid)).program.executable, path: '/home/dev/src/x.py' };
  ask('untrusted', { program: { executable: script } });
  const untrusted = await link.next('decision', ({ ref }) => ref === 'untrusted');
  assert.equal(untrusted.rule, 'defined in an untrusted workspace');
  review.socket.destroy();
  ask('alone');
  const alone = await link.next('decision', ({ ref }) => ref === 'alone');
  assert.equal(alone.rule, 'no reviewer connected');
  assert.match(alone.text, /Show Panel/u);
  assert.equal(recordsOf(desk, 'decision').at(-1)?.rule, 'no reviewer connected');
});

test('more than a person can answer is denied', async (t) => {
  const { link, ask } = await scene(t);
  for (let port = 1; port <= 101; port += 1)
    ask(String(port), { endpoint: { kind: 'inet', address: '198.51.100.7', port } });
  const decision = await link.next('decision');
  assert.deepEqual([decision.ref, decision.rule], ['101', 'too many questions at once']);
});

test('work that is handed outside is asked as such, whatever group its request has', async (t) => {
  const { review, session, ask } = await scene(t);
  const request = { number: 4, method: 'tools/call', tool: 'run_test', attribution: 'certain' } as const;
  ask('a', { request, transport: 'unix', endpoint: { kind: 'unix', path: '/run/docker.sock' } });
  const question = await review.next('question');
  assert.equal(question.transition, 'work handed outside');
  assert.equal(question.group, `${session}#4`);
  assert.equal(question.headlineComplete, false);
  assert.match(question.headline, /hand work to Docker/u);
});
