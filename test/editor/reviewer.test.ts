import assert from 'node:assert/strict';
import test from 'node:test';
import { Reviewer, type ReviewerHost } from '../../src/editor/reviewer.ts';
import { reviewerToken } from '../../src/editor/reviewerToken.ts';
import type { ToDesk } from '../../src/protocol/desk.ts';
import { DeskError, type DeskHandlers } from '../../src/protocol/deskConnection.ts';
import type { PanelState } from '../../src/protocol/panel.ts';

function secrets(): { store: Map<string, string>; api: Parameters<typeof reviewerToken>[0] } {
  const store = new Map<string, string>();
  const api = {
    get: (key: string) => Promise.resolve(store.get(key)),
    store: (key: string, value: string) => Promise.resolve(void store.set(key, value)),
  };
  return { store, api };
}

type Attempt = { token: string; handlers: DeskHandlers; sent: ToDesk[]; closed: boolean };

/** A reviewer whose desk answers each attempt by the next of `replies`; the last one repeats. */
function reviewerOf(replies: readonly ('new' | 'known' | DeskError)[], over: Partial<ReviewerHost> = {}) {
  const attempts: Attempt[] = [];
  const states: PanelState['desk'][] = [];
  const changes = new Set<() => void>();
  const kept = secrets();
  const reviewer = new Reviewer({
    connect: (token, handlers) => {
      const attempt: Attempt = { token, handlers, sent: [], closed: false };
      const reply = replies[Math.min(attempts.length, replies.length - 1)] ?? 'known';
      attempts.push(attempt);
      if (reply instanceof DeskError) return Promise.reject(reply);
      return Promise.resolve({
        enrolled: reply,
        send: (message) => attempt.sent.push(message),
        close: () => {
          attempt.closed = true;
        },
      });
    },
    token: reviewerToken(kept.api),
    confirmNewEnrolment: () => Promise.resolve(false),
    now: () => new Date().toISOString(),
    changed: (state) => {
      states.push(state.desk);
      for (const change of changes) change();
    },
    certificate: () => undefined,
    failed: () => undefined,
    notConnected: () => undefined,
    workspace: () => ({ folders: ['/w'], trusted: true }),
    ...over,
  });
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!holds()) return;
        changes.delete(check);
        clearTimeout(alive);
        resolve();
      };
      // Keeps the process alive while the reviewer waits between attempts.
      const alive = setTimeout(() => undefined, 20_000);
      changes.add(check);
      check();
    });
  const desk = (): PanelState['desk']['kind'] => reviewer.state.desk.kind;
  return { reviewer, attempts, states, until, desk, store: kept.store };
}

test('connects, sends its workspace, answers only open questions', async () => {
  const { reviewer, attempts, until, desk, store } = reviewerOf(['new']);
  reviewer.start();
  await until(() => desk() === 'connected');
  const [attempt] = attempts;
  assert.match(attempt?.token ?? '', /^[\w-]{43}$/u);
  assert.equal(store.get('kinwatch.reviewer.enrolled'), attempt?.token);
  assert.deepEqual(attempt?.sent, [{ kind: 'workspace', folders: ['/w'], trusted: true }]);
  reviewer.answer('nope', 'once');
  assert.equal(attempt.sent.length, 1);
  reviewer.contain('7f3a');
  assert.deepEqual(attempt.sent.at(-1), { kind: 'contain', session: '7f3a' });
  reviewer.stop();
});

test('an answered question leaves although nothing more is heard', async () => {
  const clock = { now: Date.UTC(2026, 2, 12) };
  const { reviewer, attempts, until, desk } = reviewerOf(['new'], {
    now: () => new Date(clock.now).toISOString(),
  });
  reviewer.start();
  await until(() => desk() === 'connected');
  attempts[0]?.handlers.message({
    kind: 'question',
    id: 'q',
    session: 's',
    server: 'x',
    transition: 'first start',
    headline: 'h',
    headlineParts: [],
    headlineComplete: false,
    rows: [],
    group: 'q',
    options: ['deny', 'once'],
    askedAt: new Date(clock.now).toISOString(),
  });
  reviewer.answer('q', 'session');
  assert.equal(attempts[0]?.sent.length, 1, 'a choice that is not offered is not sent');
  reviewer.answer('q', 'once');
  assert.deepEqual(attempts[0].sent.at(-1), { kind: 'answer', id: 'q', choice: 'once' });
  attempts[0].handlers.message({ kind: 'answered', id: 'q', choice: 'once', outcome: 'accepted' });
  assert.equal(reviewer.state.questions.length, 1);
  clock.now += 11_000;
  await until(() => reviewer.state.questions.length === 0);
  reviewer.stop();
});

test('a lost desk is counted down and found again', async () => {
  const { reviewer, attempts, states, until, desk } = reviewerOf([
    'known',
    new DeskError('not started', 'no'),
    'known',
  ]);
  reviewer.start();
  await until(() => desk() === 'connected');
  attempts[0]?.handlers.closed(new DeskError('lost', 'gone'));
  await until(() => desk() === 'lost');
  await until(() => desk() === 'connected');
  // The failed attempt between did not hide the countdown.
  assert.deepEqual(
    states.map(({ kind }) => kind).filter((kind, index, all) => kind !== all[index - 1]),
    ['connected', 'lost', 'connected'],
  );
  const lost = states.find((state) => state.kind === 'lost');
  assert.equal(Date.parse(lost?.familiesEndAt ?? '') - Date.parse(lost?.since ?? ''), 5000);
  reviewer.stop();
});

test('an enrolled token that is welcomed as new asks first, and stops when told to', async () => {
  const { reviewer, attempts, until, desk, store } = reviewerOf(['new']);
  const token = 'A'.repeat(43);
  store.set('kinwatch.reviewer.token', token).set('kinwatch.reviewer.enrolled', token);
  reviewer.start();
  await until(() => desk() === 'refused');
  assert.equal(attempts[0]?.closed, true);
  assert.deepEqual(attempts[0].sent, []);
});

test('a wrong token is not tried again, unless another window has stored its own', async () => {
  const refused = new DeskError('refused', 'wrong token');
  const first = reviewerOf([refused]);
  first.reviewer.start();
  await first.until(() => first.desk() === 'refused');
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(first.attempts.length, 1);
  const { reason } = first.reviewer.state.desk as { reason: string };
  assert.match(reason, /remove Kinwatch’s state folder/u);
  first.store.set('kinwatch.reviewer.token', 'B'.repeat(43));
  first.reviewer.start();
  await first.until(() => first.attempts.length === 2);
  assert.equal(first.attempts[1]?.token, 'B'.repeat(43));
  first.reviewer.stop();
});

test('another version says what to restart', async () => {
  const { reviewer, until, desk } = reviewerOf([new DeskError('version', 'the desk speaks protocol 2')]);
  reviewer.start();
  await until(() => desk() === 'failed');
  assert.match((reviewer.state.desk as { reason: string }).reason, /Reload this window/u);
  reviewer.stop();
});
