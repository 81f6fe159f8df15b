import assert from 'node:assert/strict';
import test from 'node:test';
import { emptyState, openQuestions, reduce, withoutEnded } from '../../src/editor/mirror.ts';
import type { FromDesk, ProcessView, Question, SessionView } from '../../src/protocol/desk.ts';
import { panelState, type PanelState } from '../../src/protocol/panel.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 2, 12, 14, 0, seconds)).toISOString();
const session: SessionView = {
  session: '7f3a',
  server: 'repo-tools',
  client: { pid: 1, startTicks: 1, startedAt: at(0), argv: [] },
  state: 'running',
  coverage: { level: 'held', text: 'execs held', gaps: {} },
  startedAt: at(0),
  overrides: [],
  processes: [],
  endedUnlisted: 0,
};
const question = (id: string, group = id): Question => ({
  kind: 'question',
  id,
  session: '7f3a',
  server: 'repo-tools',
  transition: 'new executable',
  headline: 'h',
  headlineParts: [{ kind: 'text', text: 'h' }],
  headlineComplete: true,
  rows: [],
  group,
  options: ['deny', 'once', 'session', 'contain'],
  askedAt: at(0),
});
const run = (messages: readonly FromDesk[], from: PanelState = emptyState): PanelState => {
  const state = messages.reduce((before, message, index) => reduce(before, message, at(index)), from);
  // Whatever the desk says, the panel's own wire must be able to carry the result.
  return panelState.parse(state);
};
const birth = (pid: number, ppid: number): FromDesk => ({
  kind: 'birth',
  session: '7f3a',
  pid,
  startedAt: at(pid % 60),
  ppid,
  parentStartedAt: at(ppid % 60),
});
const exec = (pid: number, exe: string, step: 'held' | 'released' | 'confirmed'): FromDesk => ({
  kind: 'exec',
  session: '7f3a',
  pid,
  startedAt: at(pid % 60),
  exe,
  argv: [exe],
  cwd: '/',
  step,
});
const process = (state: PanelState, pid: number): ProcessView | undefined =>
  state.sessions[0]?.processes.find((known) => known.pid === pid);

test('a process is born with its parent’s program, is held, released and ends', () => {
  const begin: FromDesk[] = [
    { kind: 'session', session },
    birth(10, 1),
    exec(10, '/usr/bin/node', 'confirmed'),
    birth(11, 10),
  ];
  assert.equal(process(run(begin), 11)?.exe, '/usr/bin/node');
  const held = run([...begin, exec(11, '/usr/bin/git', 'held')]);
  assert.equal(process(held, 11)?.state, 'held');
  const released = run([exec(11, '/usr/bin/git', 'released')], held);
  assert.equal(process(released, 11)?.state, 'running');
  const ended = run(
    [{ kind: 'end', session: '7f3a', pid: 11, startedAt: at(11), status: 'exit 0' }],
    released,
  );
  assert.deepEqual([process(ended, 11)?.state, process(ended, 11)?.status], ['ended', 'exit 0']);
  const refusal: FromDesk = {
    kind: 'refusal',
    session: '7f3a',
    pid: 11,
    startedAt: at(11),
    what: 'exec',
    rule: 'denied by reviewer',
    text: 'denied',
    at: at(9),
  };
  const denied = run([refusal], held);
  assert.deepEqual(
    [process(denied, 11)?.state, process(denied, 11)?.refusedBy],
    ['running', 'denied by reviewer'],
  );
  assert.equal(denied.refusals.length, 1);
});

test('another process with the same pid is another process', () => {
  const other: FromDesk = { kind: 'end', session: '7f3a', pid: 10, startedAt: at(59), status: 'exit 0' };
  assert.equal(process(run([{ kind: 'session', session }, birth(10, 1), other]), 10)?.state, 'running');
});

test('the first ending of a question stands, and it leaves later', () => {
  const state = run([
    question('a'),
    { kind: 'answered', id: 'a', choice: 'deny', outcome: 'accepted' },
    { kind: 'answered', id: 'a', choice: 'once', outcome: 'already answered' },
  ]);
  assert.deepEqual(state.questions[0]?.ending, { kind: 'answered', choice: 'deny', at: at(1) });
  assert.equal(openQuestions(state).length, 0);
  assert.equal(withoutEnded(state, at(10)), state);
  assert.equal(withoutEnded(state, at(40)).questions.length, 0);
});

test('an ended part stays while another part of its card is open', () => {
  const state = run([
    question('a', 'g'),
    question('b', 'g'),
    { kind: 'answered', id: 'a', choice: 'once', outcome: 'accepted' },
  ]);
  assert.equal(withoutEnded(state, at(59)).questions.length, 2);
});

test('a late answer ends a question without claiming a choice', () => {
  const state = run([question('a'), { kind: 'answered', id: 'a', choice: 'once', outcome: 'late' }]);
  assert.equal(state.questions[0]?.ending?.kind, 'withdrawn');
});

test('a snapshot replaces what was open', () => {
  const state = run([
    question('a'),
    question('b'),
    { kind: 'snapshot', sessions: [session], questions: [question('b')] },
  ]);
  assert.deepEqual(
    openQuestions(state).map(({ id }) => id),
    ['b'],
  );
  assert.equal(state.questions[0]?.ending?.kind, 'withdrawn');
});

test('a flood of processes is counted, and parents of what is listed stay', () => {
  const messages: FromDesk[] = [{ kind: 'session', session }, birth(1000, 1)];
  for (let pid = 1001; pid < 1600; pid += 1) {
    messages.push(birth(pid, 1000), {
      kind: 'end',
      session: '7f3a',
      pid,
      startedAt: at(pid % 60),
      status: 'exit 0',
    });
  }
  const state = messages.reduce((before, message) => reduce(before, message, at(0)), emptyState);
  const [family] = state.sessions;
  assert.equal((family?.processes.length ?? 0) + (family?.endedUnlisted ?? 0), 600);
  assert.ok((family?.processes.length ?? 0) <= 401);
  assert.ok(process(state, 1000));
});

const connection = (
  step: Extract<FromDesk, { kind: 'connection' }>['step'],
  port = 22,
  more: { error?: string } = {},
): FromDesk => ({
  kind: 'connection',
  session: '7f3a',
  pid: 10,
  startedAt: at(10),
  action: 'connect',
  transport: 'tcp',
  endpoint: { kind: 'inet', address: '198.51.100.7', port },
  host: 'build.example',
  step,
  ...more,
});

test('a connection holds its process, and what became of it stays in the list', () => {
  const begin: FromDesk[] = [{ kind: 'session', session }, birth(10, 1), connection('held')];
  const held = run(begin);
  assert.equal(process(held, 10)?.state, 'held');
  assert.equal(process(held, 10)?.connections?.[0]?.state, 'held');
  const failed = run([connection('released'), connection('failed', 22, { error: 'ETIMEDOUT' })], held);
  assert.equal(process(failed, 10)?.state, 'running');
  assert.deepEqual(
    process(failed, 10)?.connections?.map(({ state, error }) => [state, error]),
    [['failed', 'ETIMEDOUT']],
  );
  const refused = run([connection('refused')], held);
  assert.deepEqual([process(refused, 10)?.state, process(refused, 10)?.refusedBy], ['running', undefined]);
  const many = run(
    Array.from({ length: 30 }, (_, index) => connection('released', 1000 + index)),
    refused,
  );
  assert.equal(process(many, 10)?.connections?.length, 20);
  assert.equal(process(many, 10)?.connectionsUnlisted, 11);
});

test('a refused call is listed and leaves no mark on a process that goes on', () => {
  const refusal: FromDesk = {
    kind: 'refusal',
    session: '7f3a',
    pid: 10,
    startedAt: at(10),
    what: 'system call',
    rule: 'io_uring',
    text: 'refused',
    at: at(9),
  };
  const state = run([{ kind: 'session', session }, birth(10, 1), exec(10, '/usr/bin/node', 'held'), refusal]);
  assert.deepEqual([process(state, 10)?.state, process(state, 10)?.refusedBy], ['held', undefined]);
  assert.equal(state.refusals[0]?.rule, 'io_uring');
});
