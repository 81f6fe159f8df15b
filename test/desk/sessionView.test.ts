/** The fold of a session: pure, so by value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  openedView,
  withAnswered,
  withBirth,
  withClaims,
  withConnectionOf,
  withDetached,
  withEnd,
  withExec,
} from '../../src/desk/sessionView.ts';
import type { SessionView } from '../../src/protocol/desk.ts';
import { clientFacts } from './harness.ts';

const at = '2026-01-02T03:04:05.678Z';
const opened = openedView('s', { server: 'files', client: clientFacts(), overrides: [] }, at);
const key = (pid: number) => ({ pid, startedAt: at });
const birth = (view: SessionView, pid: number) =>
  withBirth(view, { kind: 'birth', ...key(pid), startTicks: pid, ppid: 1, at });

test('a life: born, held, refused, again, ended', () => {
  let view = birth(opened, 5);
  view = birth(view, 5);
  assert.equal(view.processes.length, 1);
  const exec = { ...key(5), exe: '/usr/bin/ssh', argv: ['ssh'], cwd: '/' };
  view = withExec(view, exec, 'held');
  assert.equal(view.processes[0]?.state, 'held');
  view = withAnswered(view, key(5), 'denied by reviewer');
  assert.deepEqual(
    [view.processes[0]?.state, view.processes[0]?.refusedBy],
    ['running', 'denied by reviewer'],
  );
  view = withExec(view, { ...exec, exe: '/usr/bin/git' }, 'running');
  assert.deepEqual([view.processes[0]?.exe, view.processes[0]?.refusedBy], ['/usr/bin/git', undefined]);
  view = withDetached(view, key(5));
  view = withEnd(view, { kind: 'end', ...key(5), status: 'exit 0', at });
  view = withAnswered(view, key(5), undefined);
  assert.deepEqual(
    [view.processes[0]?.state, view.processes[0]?.status, view.processes[0]?.detached],
    ['ended', 'exit 0', true],
  );
});

test('a reused pid is another process', () => {
  const view = birth(opened, 5);
  const other = { pid: 5, startedAt: '2026-01-02T03:04:06.000Z' };
  assert.equal(withDetached(view, other), view);
  assert.equal(withBirth(view, { kind: 'birth', ...other, startTicks: 6, ppid: 1, at }).processes.length, 2);
});

test('of ended processes the last 500 stay listed, the rest are counted, the living all stay', () => {
  let view = birth(opened, 1);
  for (let pid = 2; pid < 604; pid += 1) {
    view = withEnd(birth(view, pid), { kind: 'end', ...key(pid), status: 'exit 0', at });
  }
  assert.equal(view.endedUnlisted, 102);
  assert.equal(view.processes.length, 501);
  assert.deepEqual(
    [view.processes[0]?.pid, view.processes[1]?.pid, view.processes.at(-1)?.pid],
    [1, 104, 603],
  );
});

test('the client’s claim comes from its initialize, and from nothing else', () => {
  const request = { number: 1, method: 'initialize', attribution: 'certain' as const };
  const told = (text: string, method = 'initialize') =>
    withClaims(opened, { kind: 'request', request: { ...request, method }, arguments: text, at }).client
      .claims;
  assert.deepEqual(told('{"clientInfo":{"name":"code","version":"1"}}'), { name: 'code', version: '1' });
  assert.equal(told('{"clientInfo":{"name":5}}'), undefined);
  assert.equal(told('{"clientInfo":"cut'), undefined);
  assert.equal(told('null'), undefined);
  assert.equal(told('{"clientInfo":{"name":"code"}}', 'tools/call'), undefined);
});

test('a connection belongs to its process and to no other; a refused one leaves no mark on the program', () => {
  const view = birth(birth(opened, 5), 6);
  const place = {
    action: 'connect',
    transport: 'tcp',
    endpoint: { kind: 'inet', address: '198.51.100.7', port: 22 },
  } as const;
  const held = withConnectionOf(view, { ...key(5), ...place, step: 'held' }, at);
  assert.equal(held.processes[0]?.state, 'held');
  assert.equal(held.processes[1], view.processes[1]);
  const refused = withConnectionOf(held, { ...key(5), ...place, step: 'refused' }, at);
  assert.deepEqual(refused.processes[0], {
    ...view.processes[0],
    connections: [{ ...place, state: 'refused', since: at }],
  });
  assert.equal(withConnectionOf(view, { ...key(7), ...place, step: 'held' }, at), view);
});
