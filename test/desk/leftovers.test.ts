/** What an earlier desk recorded, and Kinwatch's own files. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Installation } from '../../src/desk/installation.ts';
import { isAlive } from '../../src/desk/processes.ts';
import type { Places } from '../../src/protocol/places.ts';
import { bootId } from '../../src/watch/proc.ts';
import {
  keyOf,
  makePlaces,
  OwnPeer,
  recordsOf,
  reviewer,
  runDesk,
  runningSession,
  startFacts,
  token,
  until,
} from './harness.ts';

function sleeper(t: TestContext): { pid: number; startTicks: number } {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const { pid, startTicks } = keyOf(child.pid ?? 0);
  return { pid, startTicks };
}

function record(places: Places, change: object): void {
  mkdirSync(places.state, { recursive: true, mode: 0o700 });
  const family = {
    session: '0123456789',
    server: 'files',
    bootId: bootId(),
    startedAt: new Date().toISOString(),
    supervisor: { pid: 2_000_000_000, startTicks: 1 },
    members: [],
    facts: startFacts(),
    ...change,
  };
  writeFileSync(join(places.state, 'families.json'), JSON.stringify({ families: [family] }));
}

test('a recorded family is ended at the start; a desk with nothing else then ends when idle', async (t) => {
  const places = makePlaces(t);
  const [member, reused, older] = [sleeper(t), sleeper(t), keyOf(process.pid)];
  const members = [
    member,
    { pid: reused.pid, startTicks: reused.startTicks + 1 },
    { pid: older.pid, startTicks: older.startTicks },
  ];
  record(places, { members, supervisor: { pid: 2_000_000_000, startTicks: member.startTicks } });
  const desk = await runDesk(t, { places, timings: { idleMs: 300, sweepMs: 20 } });
  await until('it has ended', () => !isAlive(member));
  assert.ok(isAlive(reused));
  assert.equal(await desk.desk.ended, 'idle');
  const [written] = recordsOf(desk, 'certificate');
  assert.deepEqual(
    [written?.certificate.session, written?.certificate.survivors, written?.certificate.proved],
    ['0123456789', 0, false],
  );
  assert.deepEqual(
    written?.certificate.signalled.map(({ pid }) => pid),
    [member.pid],
    'neither the reused pid, nor what is older than the supervisor',
  );
  assert.deepEqual(JSON.parse(readFileSync(join(places.state, 'families.json'), 'utf8')), { families: [] });
});

test('a recorded member is no stranger before its supervisor has come back', async (t) => {
  const places = makePlaces(t);
  const { pid, startTicks } = keyOf(process.pid);
  const supervisor = sleeper(t);
  record(places, { supervisor, members: [{ pid, startTicks }], startedAt: new Date().toISOString() });
  const desk = await runDesk(t, { places });
  const peer = new OwnPeer(t, places.socket);
  peer.send({ kind: 'hello', role: 'reviewer', protocol: 1, token });
  assert.match((await peer.next('refused')).reason, /belongs to a supervised family/u);
  assert.equal(isAlive(supervisor), true, 'it has its time');
  await desk.desk.stop('before the supervisor’s time is over');
  const { families } = JSON.parse(readFileSync(join(places.state, 'families.json'), 'utf8'));
  assert.equal(families.length, 1, 'the next desk knows of it too');
});

test('a file that holds no families is told and stops nothing', async (t) => {
  const places = makePlaces(t);
  mkdirSync(places.state, { recursive: true, mode: 0o700 });
  writeFileSync(join(places.state, 'families.json'), '{"families":[{"session":"../x"}]}');
  const desk = await runDesk(t, { places });
  await reviewer(t, desk);
  const [refusal] = recordsOf(desk, 'refusal');
  assert.equal(refusal?.rule, 'record could not be read');
  assert.match(refusal?.text ?? '', /holds no list of families; look .* ps -ef/u);
});

test('births and ends follow into the file, whole at every moment', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, session, root } = await runningSession(t, desk, review);
  const read = () => JSON.parse(readFileSync(join(desk.places.state, 'families.json'), 'utf8')).families;
  const [family] = await until('the family', () => {
    const families = read();
    return families[0]?.members.length === 1 ? families : undefined;
  });
  const { pid, startTicks } = root;
  assert.deepEqual([family.session, family.server, family.bootId], [session, 'files', bootId()]);
  assert.deepEqual(family.members, [{ pid, startTicks }]);
  assert.equal(family.supervisor.pid, link.pid);
  link.send({ kind: 'end', pid, startedAt: root.startedAt, status: 'exit 0', at: new Date().toISOString() });
  await until('it is gone', () => read()[0]?.members.length === 0);
});

test('a program that lives no longer than a look is left out of the file, who stays is in it', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  const path = join(desk.places.state, 'families.json');
  const members = (): number[] =>
    JSON.parse(readFileSync(path, 'utf8')).families[0]?.members.map(({ pid }: { pid: number }) => pid) ?? [];
  await until('the root is written', () => members().includes(root.pid));
  const at = new Date().toISOString();
  const [short, long] = [root.pid + 1, root.pid + 2];
  const { startTicks, startedAt } = root;
  const key = { startedAt, startTicks, ppid: root.pid, at };
  const written: number[][] = [];
  const watch = setInterval(() => written.push(members()), 1);
  link.send({ kind: 'birth', pid: short, ...key });
  link.send({ kind: 'end', pid: short, startedAt, status: 'exit 0', at });
  link.send({ kind: 'birth', pid: long, ...key });
  await until('who stays is written', () => members().includes(long));
  clearInterval(watch);
  assert.equal(
    written.some((pids) => pids.includes(short)),
    false,
  );
});

test('own files: touched is unchanged; changed, replaced, removed and new are told once', async (t) => {
  const { state } = makePlaces(t);
  mkdirSync(state, { recursive: true });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => join(state, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [a, b, c]) writeFileSync(path, 'before');
  const installation = new Installation([a, b, c, d]);
  await installation.digests();
  assert.deepEqual(await installation.look(), []);
  utimesSync(a, 1, 1);
  assert.deepEqual(await installation.look(), []);
  writeFileSync(`${b}.new`, 'after!');
  renameSync(`${b}.new`, b);
  rmSync(c);
  writeFileSync(d, 'new');
  const changes = await installation.look();
  assert.deepEqual(
    changes.map(({ path, was, is }) => [path, was === null, is === null]),
    [
      [b, false, false],
      [c, false, true],
      [d, true, false],
    ],
  );
  assert.deepEqual(await installation.look(), []);
  writeFileSync(a, 'mine');
  installation.accept(a);
  assert.deepEqual(await installation.look(), []);
});

test('a bundle that changes under a family contains it; between sessions and between desks it is noted', async (t) => {
  const places = makePlaces(t);
  mkdirSync(places.state, { recursive: true, mode: 0o700 });
  const bundle = join(places.state, 'desk.js');
  writeFileSync(bundle, 'one');
  const options = { places, ownFiles: [bundle], timings: { settleMs: 0 } };
  const desk = await runDesk(t, options);
  const review = await reviewer(t, desk);
  await until('it was read', () => existsSync(join(places.state, 'installation.json')));
  writeFileSync(bundle, 'two');
  const first = await runningSession(t, desk, review);
  const noted = await until('noted', () => recordsOf(desk, 'installation changed')[0]);
  assert.deepEqual([noted.sessions, noted.files[0]?.path], [[], bundle]);
  assert.equal(recordsOf(desk, 'refusal').length, 0);
  writeFileSync(bundle, 'three');
  const second = await runningSession(t, desk, review);
  assert.match((await first.link.next('contain')).by, /desk\.js was changed while files ran/u);
  const refusal = await review.next('refusal');
  assert.deepEqual([refusal.session, refusal.rule], [first.session, 'installation changed']);
  assert.equal(
    second.link.seen.some(({ kind }) => kind === 'contain'),
    false,
    'it came after the change',
  );
  await desk.desk.stop('an upgrade');
  writeFileSync(bundle, 'four');
  const next = await runDesk(t, options);
  const between = await until('noted', () =>
    recordsOf(next, 'installation changed').find(({ when }) => when === 'between desks'),
  );
  assert.deepEqual([between.sessions, between.files.length], [[], 1]);
});

test('servers.jsonc edited while a family runs is shown, and the family goes on', async (t) => {
  const places = makePlaces(t);
  mkdirSync(places.state, { recursive: true, mode: 0o700 });
  mkdirSync(places.config, { recursive: true, mode: 0o700 });
  writeFileSync(places.serversFile, '{ "servers": {} }');
  const desk = await runDesk(t, { places, timings: { settleMs: 0 } });
  const review = await reviewer(t, desk);
  await until('it was read', () => existsSync(join(places.state, 'installation.json')));
  const first = await runningSession(t, desk, review);
  writeFileSync(places.serversFile, '{ "servers": { "more": { "command": "more" } } }');
  await runningSession(t, desk, review);
  const refusal = await review.next('refusal');
  assert.deepEqual([refusal.session, refusal.rule], [first.session, 'installation changed']);
  assert.match(refusal.text, /servers\.jsonc was changed while files ran/u);
  assert.equal(
    first.link.seen.some(({ kind }) => kind === 'contain'),
    false,
  );
});
