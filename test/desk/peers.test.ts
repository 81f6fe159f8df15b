/** Who may speak in which role: the rules by table, then real processes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import type { ProcessKey } from '../../src/core/facts.ts';
import { isAlive } from '../../src/desk/processes.ts';
import { judgePeer, type KnownProcesses, type ProcessTable } from '../../src/desk/peer.ts';
import {
  ChildPeer,
  clientFacts,
  inMs,
  keyOf,
  OwnPeer,
  recordsOf,
  reviewer,
  runDesk,
  runningSession,
  startFacts,
  supervisor,
  token,
} from './harness.ts';

const hello = { kind: 'hello', role: 'reviewer', protocol: 1, token };

/** init(1) ← client(10) ← shim(20) ← supervisor(30) ← server(40); client ← shell(50). */
const parents: Record<number, number> = { 1: 0, 10: 1, 20: 10, 30: 20, 40: 30, 50: 10, 60: 1 };
const commands: Record<number, string[]> = { 60: ['node', 'bootstrap-fork', '--type=ptyHost'] };
const table: ProcessTable = {
  stat: (pid) => {
    const ppid = parents[pid];
    return ppid === undefined ? undefined : { ppid, startTicks: pid, state: 'S' };
  },
  cmdline: (pid) => commands[pid] ?? ['program'],
};
const is =
  (...pids: number[]) =>
  (key: ProcessKey) =>
    pids.includes(key.pid) && key.startTicks === key.pid;
const known: KnownProcesses = { uid: 1000, isMember: is(40), isSupervisor: is(30), isClient: is(10) };
const judge = (
  role: 'reviewer' | 'operator' | 'supervisor',
  pid: number,
  change: object = {},
  from = table,
) => {
  const verdict = judgePeer(role, { pid, uid: 1000, startTicks: pid, ...change }, known, from);
  return verdict.kind === 'refused' ? verdict.rule : 'admitted';
};

test('the rules by table', () => {
  assert.equal(judge('reviewer', 10), 'admitted', 'the client itself');
  assert.equal(judge('reviewer', 50), 'peer descends from a client');
  assert.equal(judge('operator', 50), 'admitted');
  assert.equal(judge('supervisor', 30), 'admitted');
  assert.equal(judge('reviewer', 10, { uid: 0 }), 'wrong user');
  assert.equal(judge('reviewer', 10, { startTicks: 11 }), 'peer cannot be read');
  assert.equal(judge('reviewer', 99), 'peer cannot be read');
  for (const role of ['reviewer', 'operator', 'supervisor'] as const) {
    assert.equal(judge(role, 40), 'peer is in a family', role);
  }
  assert.equal(judge('operator', 30), 'peer is in a family', 'a supervisor in another role');
  const unknownChild: ProcessTable = {
    ...table,
    stat: (pid) => table.stat(pid) ?? { ppid: 30, startTicks: 70, state: 'S' },
  };
  assert.equal(
    judge('supervisor', 70, {}, unknownChild),
    'peer is in a family',
    'below a supervisor, unrecorded',
  );
  const zombie: ProcessTable = { ...table, stat: (pid) => ({ ppid: pid - 1, startTicks: pid, state: 'Z' }) };
  assert.equal(judge('operator', 2, {}, zombie), 'peer cannot be read');
  const below = (pid: number): ProcessTable => ({
    ...table,
    stat: (of) => table.stat(of) ?? { ppid: pid, startTicks: 70, state: 'S' },
  });
  assert.equal(judge('reviewer', 70, {}, below(60)), 'peer runs under an editor terminal');
  assert.equal(judge('reviewer', 60), 'admitted', 'only what runs under it');
  assert.equal(
    judge('reviewer', 70, {}, { ...below(50), cmdline: () => undefined }),
    'peer descends from a client',
  );
  assert.equal(judge('reviewer', 70, {}, { ...below(1), cmdline: () => undefined }), 'peer cannot be read');
  const younger: ProcessTable = {
    ...table,
    stat: (of) => (of === 1 ? { ppid: 0, startTicks: 100, state: 'S' } : table.stat(of)),
  };
  assert.equal(judge('operator', 50, {}, younger), 'peer cannot be read', 'a parent younger than its child');
});

test('a descendant of a client may not review; the client itself may', async (t) => {
  const desk = await runDesk(t);
  const early = new ChildPeer(t, desk.places.socket).connect();
  early.send(hello);
  await early.next('welcome');
  const review = await reviewer(t, desk);
  const { session } = await runningSession(t, desk, review);

  const late = new ChildPeer(t, desk.places.socket).connect();
  late.send(hello);
  assert.match((await late.next('refused')).reason, /an MCP client that is supervised/);
  await late.closed();
  // Let in before its ancestor became a client: judged again where it decides something.
  early.send({ kind: 'contain', session });
  assert.match((await early.next('refused')).reason, /an MCP client that is supervised/);
  await early.closed();
  const refusals = recordsOf(desk, 'refusal').filter(({ rule }) => rule === 'peer descends from a client');
  assert.equal(refusals.length, 2);
  await review.next('refusal', ({ rule }) => rule === 'peer descends from a client');
});

test('a descendant of a supervisor is refused in every role', async (t) => {
  const desk = await runDesk(t);
  const link = await supervisor(t, desk);
  for (const role of ['reviewer', 'operator', 'supervisor']) {
    await link.spawn(t, 'peer');
    link.send({ $: 'child', line: '{"$":"connect"}' });
    link.send({
      $: 'child',
      line: JSON.stringify({ ...(role === 'reviewer' ? hello : { kind: 'hello', protocol: 1 }), role }),
    });
    assert.match((await link.next('refused')).reason, /belongs to a supervised family/);
  }
  assert.equal(recordsOf(desk, 'refusal').filter(({ rule }) => rule === 'peer is in a family').length, 3);
});

test('under an editor terminal nobody reviews', async (t) => {
  const desk = await runDesk(t);
  const host = new ChildPeer(t, desk.places.socket, ['--type=ptyHost']);
  await host.spawn(t, 'peer');
  host.send({ $: 'child', line: '{"$":"connect"}' });
  host.send({ $: 'child', line: JSON.stringify(hello) });
  assert.match((await host.next('refused')).reason, /runs in an editor's terminal/);
});

test('a peer that is gone is refused and written', async (t) => {
  const desk = await runDesk(t);
  const text = `${JSON.stringify(hello)}\n`;
  const script = `const s = require('net').connect(${JSON.stringify(desk.places.socket)}, () => s.write(${JSON.stringify(text)}, () => process.exit()))`;
  // This process, the desk, sees the connection only after the child has ended.
  assert.equal(spawnSync(process.execPath, ['-e', script]).status, 0);
  const review = new OwnPeer(t, desk.places.socket);
  review.send(hello);
  assert.equal((await review.next('welcome')).enrolled, 'new', 'the one that was gone did not enrol');
  assert.equal(recordsOf(desk, 'refusal')[0]?.rule, 'peer cannot be read');
});

test('a supervisor speaks only for what it started and for the client that started it', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const stranger = await supervisor(t, desk);
  const other = keyOf((await supervisor(t, desk)).pid);
  stranger.send({
    kind: 'open',
    facts: startFacts({ client: { ...clientFacts(), ...other } }),
    heldUntil: inMs(60_000),
  });
  assert.match((await stranger.next('refused')).reason, /was not started by the client it names/);

  const { link, root } = await runningSession(t, desk, review);
  // The reviewer is older than the supervisor: it cannot be a member.
  link.send({ kind: 'birth', ...keyOf(process.pid), ppid: link.pid, at: new Date().toISOString() });
  assert.match((await link.next('refused')).reason, /was not started by supervisor/);
  // A connection lost without its last word: the desk ends the family.
  const { certificate } = await review.next('certificate');
  assert.equal(certificate.survivors, 0);
  assert.ok(certificate.signalled.some(({ pid }: { pid: number }) => pid === root.pid));
  assert.equal(isAlive(root), false);
});

test('the first birth must be below the supervisor', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const link = await supervisor(t, desk);
  link.send({ kind: 'open', facts: startFacts(), heldUntil: inMs(60_000) });
  const question = await review.next('question');
  review.send({ kind: 'answer', id: question.id, choice: 'once' });
  await link.next('decision');
  const younger = new ChildPeer(t, desk.places.socket);
  link.send({ kind: 'birth', ...keyOf(younger.pid), ppid: link.pid, at: new Date().toISOString() });
  assert.match((await link.next('refused')).reason, /was not started by supervisor/);
  assert.equal(keyOf(younger.pid).pid, younger.pid, 'and it still lives');
});
