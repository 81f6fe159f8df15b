/** The desk as a process of its own: one per user, locks, places, signals. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isAlive } from '../../src/desk/processes.ts';
import type { Places } from '../../src/protocol/places.ts';
import { keyOf, makePlaces, operator, OwnPeer, reviewer, runDesk, token, until } from './harness.ts';

/** As built: its starters run this file. */
const bundle = resolve('dist/desk.js');

/** With an environment that holds nothing but the override, as its starters give it. */
function start(
  t: TestContext,
  places: Places,
  args: readonly string[] = [],
): { desk: ChildProcess; stderr: () => string } {
  const desk = spawn(process.execPath, [...args, bundle], {
    env: { KINWATCH_HOME: places.override },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  desk.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const key = keyOf(desk.pid ?? 0);
  t.after(async () => {
    desk.kill('SIGKILL');
    await until('the desk ended', () => !isAlive(key));
  });
  return { desk, stderr: () => text };
}

async function answers(path: string): Promise<boolean> {
  const socket = createConnection(path);
  const [event] = await Promise.race([
    once(socket, 'connect').then(() => ['connect']),
    once(socket, 'error').then(() => ['error']),
  ]).catch(() => ['error']);
  socket.destroy();
  return event === 'connect';
}

async function listening(places: Places): Promise<void> {
  await until('the socket', () => existsSync(places.socket));
  while (!(await answers(places.socket)));
}

test('two desks at once: one runs, the other ends with a word', async (t) => {
  const places = makePlaces(t);
  const both = [start(t, places), start(t, places)];
  const [first] = await Promise.race(both.map(({ desk }) => once(desk, 'exit')));
  assert.equal(first, 0);
  const other = both.find(({ desk }) => desk.exitCode === null);
  const ended = both.find(({ desk }) => desk.exitCode !== null);
  assert.match(ended?.stderr() ?? '', /another desk already runs/);
  await listening(places);
  const { pid, startTicks, bootId } = JSON.parse(readFileSync(join(places.runtime, 'desk.pid'), 'utf8'));
  assert.deepEqual([pid, startTicks], [other?.desk.pid, keyOf(pid).startTicks]);
  assert.match(bootId, /^[0-9a-f-]{36}$/);
  assert.equal(statSync(places.runtime).mode & 0o777, 0o700);
  assert.equal(statSync(places.socket).mode & 0o777, 0o600);
  other?.desk.kill('SIGTERM');
  if (other !== undefined) assert.deepEqual(await once(other.desk, 'exit'), [0, null]);
  assert.equal(existsSync(places.socket), false);
});

test('a killed desk leaves a stale socket; the next one takes the place', async (t) => {
  const places = makePlaces(t);
  const first = start(t, places);
  await listening(places);
  first.desk.kill('SIGKILL');
  await once(first.desk, 'exit');
  assert.ok(existsSync(places.socket));
  assert.equal(await answers(places.socket), false);
  start(t, places);
  await until('an answer', () => existsSync(places.socket));
  while (!(await answers(places.socket)));
  const desk = { places, desk: { ended: Promise.resolve(''), stop: () => Promise.resolve() } };
  await reviewer(t, desk);
  await operator(t, desk);
});

test('its memory and environment are closed to others, SIGUSR1 opens no inspector', async (t) => {
  const places = makePlaces(t);
  const { desk, stderr } = start(t, places);
  await listening(places);
  // Owned by root once a process is not dumpable, whoever runs it.
  assert.equal(statSync(`/proc/${desk.pid}/mem`).uid, 0);
  desk.kill('SIGUSR1');
  const peer = new OwnPeer(t, places.socket);
  peer.send({ kind: 'hello', role: 'reviewer', protocol: 1, token });
  await peer.next('snapshot');
  assert.doesNotMatch(stderr(), /Debugger/);
});

test('a place that is not safe is refused with the next step', async (t) => {
  const open = makePlaces(t);
  mkdirSync(open.runtime, { recursive: true });
  chmodSync(open.runtime, 0o755);
  const first = start(t, open);
  assert.deepEqual(await once(first.desk, 'close'), [3, null]);
  assert.match(first.stderr(), /is open to other users; run: chmod 700/);

  const linked = makePlaces(t);
  mkdirSync(join(open.state, 'real'), { recursive: true, mode: 0o700 });
  symlinkSync(join(open.state, 'real'), linked.runtime);
  const second = start(t, linked);
  assert.deepEqual(await once(second.desk, 'close'), [3, null]);
  assert.match(second.stderr(), /run is not a directory; remove it/);

  const relative = start(t, { ...linked, override: 'somewhere' });
  assert.deepEqual(await once(relative.desk, 'close'), [3, null]);
  assert.match(relative.stderr(), /set it to an absolute path/);
  await assert.rejects(runDesk(t, { places: linked }), { code: 'unsafe place' });
});
