import assert from 'node:assert/strict';
import test from 'node:test';
import { Notifier, notificationText } from '../../src/editor/notifier.ts';
import { emptyState } from '../../src/editor/mirror.ts';
import type { Question } from '../../src/protocol/desk.ts';
import { at, connection, connectionQuestion } from '../webview/story.ts';
import type { PanelState } from '../../src/protocol/panel.ts';

const question = (id: string, more: Partial<Question> = {}): Question => ({
  kind: 'question',
  id,
  session: 's',
  server: 'x',
  transition: 'new executable',
  headline: 'node will start helper.',
  headlineParts: [{ kind: 'text', text: 'node will start helper.' }],
  headlineComplete: true,
  rows: [],
  group: id,
  options: ['deny', 'once', 'session', 'contain'],
  askedAt: '2026-03-12T14:00:00.000Z',
  ...more,
});
const asking = (...questions: Question[]): PanelState => ({
  ...emptyState,
  questions: questions.map((each) => ({ question: each })),
});

function host(enabled = true) {
  const shown: { text: string; buttons: readonly string[]; press: (button?: string) => void }[] = [];
  const answers: string[] = [];
  const reviews: (string | undefined)[] = [];
  const time = { now: 0 };
  const notifier = new Notifier({
    show: (text, buttons) =>
      new Promise((resolve) => {
        shown.push({ text, buttons, press: resolve });
      }),
    answer: (id, choice) => answers.push(`${id} ${choice}`),
    review: (id) => reviews.push(id),
    isEnabled: () => enabled,
    clock: () => time.now,
  });
  return { notifier, shown, answers, reviews, time };
}
const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

test('a whole headline offers Deny, Allow once, Review; once per question', async () => {
  const { notifier, shown, answers, time } = host();
  notifier.update(asking(question('a')));
  notifier.update(asking(question('a')));
  assert.equal(shown.length, 1);
  assert.deepEqual(shown[0]?.buttons, ['Deny', 'Allow once', 'Review']);
  assert.equal(shown[0].text, 'node will start helper.');
  time.now = 700;
  shown[0].press('Allow once');
  await settle();
  assert.deepEqual(answers, ['a once']);
});

test('an incomplete one offers Review and Deny only', () => {
  const { notifier, shown } = host();
  notifier.update(asking(question('a', { headlineComplete: false })));
  assert.deepEqual(shown[0]?.buttons, ['Review', 'Deny']);
});

test('an answer within 600 ms is not counted and the question is shown again', async () => {
  const { notifier, shown, answers, time } = host();
  notifier.update(asking(question('a')));
  time.now = 599;
  shown[0]?.press('Allow once');
  await settle();
  assert.deepEqual(answers, []);
  assert.match(shown[1]?.text ?? '', /not counted.*node will start helper/u);
  time.now = 1300;
  shown[1]?.press('Deny');
  await settle();
  assert.deepEqual(answers, ['a deny']);
});

test('closing answers nothing', async () => {
  const { notifier, shown, answers } = host();
  notifier.update(asking(question('a')));
  shown[0]?.press();
  await settle();
  notifier.update(asking(question('a')));
  assert.deepEqual([answers, shown.length], [[], 1]);
});

test('several become one that opens the panel', async () => {
  const { notifier, shown, reviews } = host();
  notifier.update(asking(question('a'), question('b')));
  notifier.update(asking(question('a'), question('b'), question('c')));
  assert.equal(shown.length, 1);
  assert.match(shown[0]?.text ?? '', /^2 questions/u);
  shown[0]?.press('Review');
  await settle();
  assert.deepEqual(reviews, [undefined]);
});

test('a question that has ended cannot be answered from its old notification', async () => {
  const { notifier, shown, answers, time } = host();
  notifier.update(asking(question('a')));
  notifier.update(emptyState);
  time.now = 5000;
  shown[0]?.press('Allow once');
  await settle();
  assert.deepEqual(answers, []);
});

test('switched off, nothing is shown', () => {
  const { notifier, shown } = host(false);
  notifier.update(asking(question('a')));
  assert.equal(shown.length, 0);
});

test('a family’s text makes no links and reorders nothing', () => {
  const link = notificationText([
    { kind: 'text', text: 'node will start ' },
    { kind: 'code', text: '[ok](command:workbench.action.quit)' },
  ]);
  assert.deepEqual(link, { text: 'node will start [ok] (command:workbench.action.quit)', isWhole: false });
  const split = notificationText([
    { kind: 'code', text: '[a]' },
    { kind: 'code', text: '(command:x)' },
  ]);
  assert.equal(split.isWhole, false);
  assert.equal(notificationText([{ kind: 'code', text: 'שלום' }]).text, '\u2068שלום\u2069');
  assert.equal(notificationText([{ kind: 'code', text: 'a'.repeat(401) }]).isWhole, false);
});

test('a connection whose sentence is whole may be allowed here; work handed outside is reviewed', () => {
  const { notifier, shown } = host();
  const facts = connection({ host: 'build.example' });
  const asked = connectionQuestion('c', facts, at('14:06:45'), at('14:04:45'));
  notifier.update({ ...emptyState, questions: [asked] });
  assert.match(
    shown[0]?.text ?? '',
    /^ssh will connect to build\.example port 22 as dev and run uptime there\.$/u,
  );
  assert.deepEqual(shown[0]?.buttons, ['Deny', 'Allow once', 'Review']);
  const unix = { transport: 'unix', endpoint: { kind: 'unix', path: '/run/docker.sock' } } as const;
  const outside = connectionQuestion('d', connection(unix), at('14:06:45'), at('14:04:45'));
  notifier.update({ ...emptyState, questions: [outside] });
  assert.deepEqual(shown[1]?.buttons, ['Review', 'Deny']);
});
