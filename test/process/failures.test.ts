/** Supervisors and desks that are killed, stopped or tampered with: whatever they watched is ended, and said to be. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { timings } from '../../src/desk/timings.ts';
import type { Certificate } from '../../src/protocol/desk.ts';
import { readStat } from '../../src/watch/proc.ts';
import { type Message, recordsOf } from '../desk/harness.ts';
import { isAlive, isExec, type Key, type Rig, Run, type Started, started, until } from './rig.ts';

interface FamilyFile {
  families: { session: string; server: string; bootId: string; supervisor: Key; members: Key[] }[];
}

const familyPath = (rig: Rig): string => join(rig.places.state, 'families.json');
const families = (rig: Rig): FamilyFile['families'] =>
  existsSync(familyPath(rig))
    ? (JSON.parse(readFileSync(familyPath(rig), 'utf8')) as FamilyFile).families
    : [];

function keyOf(pid: number): Key {
  const startTicks = readStat(pid)?.startTicks;
  assert.ok(startTicks !== undefined, `process ${pid} lives`);
  return { pid, startTicks };
}

function supervisorOf(rig: Rig): Key {
  const opened = recordsOf(rig, 'session opened').at(-1);
  assert.ok(opened);
  return opened.supervisor;
}

/** A process that has nothing to do with any family. */
function stranger(t: TestContext): Key {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  return keyOf(child.pid ?? 0);
}

/** The server's helper: a child of its own that nothing but the record leads to once the server is gone. */
async function leaveHelper({ rig, review, run }: Started): Promise<Key> {
  const marker = join(rig.home, 'helper');
  const call = run.call('background', { command: '/bin/sleep', args: ['1000'], marker });
  await review.decide('once', isExec);
  await run.answerTo(call);
  const pid = Number(await until('the helper', () => existsSync(marker) && readFileSync(marker, 'utf8')));
  return until('its birth', () => recordsOf(rig, 'birth').find((birth) => birth.pid === pid));
}

/** Both at one moment: a stopped supervisor cannot ask for another desk. */
function killBoth(rig: Rig): { desk: Key; supervisor: Key } {
  const desk = rig.desk();
  assert.ok(desk);
  const supervisor = supervisorOf(rig);
  process.kill(supervisor.pid, 'SIGSTOP');
  process.kill(desk.pid, 'SIGKILL');
  process.kill(supervisor.pid, 'SIGKILL');
  return { desk, supervisor };
}

async function bothGone(keys: { desk: Key; supervisor: Key }): Promise<void> {
  await until('desk and supervisor have ended', () => !isAlive(keys.desk) && !isAlive(keys.supervisor));
}

function certificateOf(rig: Rig, session: string): Certificate | undefined {
  return recordsOf(rig, 'certificate').find(({ certificate }) => certificate.session === session)
    ?.certificate;
}

test('field case 2: desk and supervisor are killed: the next desk ends the recorded family, and nobody else', async (t) => {
  const all = await started(t);
  const { rig, session } = all;
  const helper = await leaveHelper(all);
  const recorded = await until('the family is recorded', () =>
    families(rig).find(({ members }) => members.some(({ pid }) => pid === helper.pid)),
  );
  assert.equal(recorded.session, session);
  assert.equal(recorded.server, 'tools');
  assert.deepEqual(
    new Set(recorded.members.map(({ pid }) => pid)),
    new Set(
      rig
        .members()
        .filter(isAlive)
        .map(({ pid }) => pid),
    ),
  );
  await bothGone(killBoth(rig));
  assert.ok(isAlive(helper), 'nobody is left to end it');
  // Pids come round: the same number, another start; and the same numbers on another boot.
  const [reused, elsewhere] = [stranger(t), stranger(t)];
  const file = JSON.parse(readFileSync(familyPath(rig), 'utf8')) as FamilyFile;
  const [family] = file.families;
  assert.ok(family);
  family.members.push({ pid: reused.pid, startTicks: reused.startTicks + 1 });
  file.families.push({
    ...family,
    session: '00000000aa',
    bootId: '00000000-0000-0000-0000-000000000000',
    members: [elsewhere],
  });
  writeFileSync(familyPath(rig), JSON.stringify(file));
  const { status, stderr } = rig.command('desk');
  assert.equal(status, 0, stderr);
  await until('the family has ended', () => !rig.members().some(isAlive));
  const certificate = await until('its certificate', () => certificateOf(rig, session));
  assert.equal(certificate.proved, false);
  assert.equal(certificate.survivors, 0);
  assert.match(certificate.cause, /desk and supervisor were both gone/u);
  assert.ok(certificate.signalled.some(({ pid }: { pid: number }) => pid === helper.pid));
  assert.ok(isAlive(reused), 'another start time is another process');
  assert.ok(isAlive(elsewhere), 'another boot is another machine');
  const other = await until('the other', () => certificateOf(rig, '00000000aa'));
  assert.deepEqual(other.signalled, []);
  const view = (await rig.reviewer()).seen
    .find(({ kind }) => kind === 'snapshot')
    ?.sessions.find((one: Message) => one.session === session);
  assert.equal(view.state, 'ended');
  assert.equal(view.certificate.cause, certificate.cause);
  await until('nothing is recorded any more', () => families(rig).length === 0);
});

test('a desk is killed and its supervisor lives: the next desk leaves the family to it', async (t) => {
  const all = await started(t);
  const { rig, run, session } = all;
  const helper = await leaveHelper(all);
  const before = rig.desk();
  assert.ok(before);
  process.kill(before.pid, 'SIGKILL');
  const resumed = await until('it is taken up', () =>
    recordsOf(rig, 'session opened').find(({ entry }) => entry === 'resumed'),
  );
  assert.equal(resumed.session, session);
  await until('the file follows', () => families(rig).some(({ members }) => members.length >= 2));
  // Longer than a recorded family is waited for: the desk has looked at it again by then.
  const until6 = Date.now() + timings.takeUpMs + 2 * timings.sweepMs;
  await until('the desk has looked', () => Date.now() > until6);
  assert.ok(isAlive(helper));
  assert.equal(Run.value(await run.answerTo(run.call('echo', { value: 'on' }))), 'on');
  assert.equal(certificateOf(rig, session), undefined);
  run.child.stdin.end();
  await run.ended();
  assert.equal(rig.members().some(isAlive), false);
  assert.equal((await until('its end', () => certificateOf(rig, session))).proved, true);
});

test('a desk is killed and its supervisor stands still: the next desk ends the family and the supervisor', async (t) => {
  const all = await started(t);
  const { rig, session } = all;
  await leaveHelper(all);
  const desk = rig.desk();
  assert.ok(desk);
  const supervisor = supervisorOf(rig);
  process.kill(supervisor.pid, 'SIGSTOP');
  process.kill(desk.pid, 'SIGKILL');
  await until('it has ended', () => !isAlive(desk));
  assert.equal(rig.command('desk').status, 0);
  const certificate = await until('its certificate', () => certificateOf(rig, session));
  assert.match(certificate.cause, /did not take it up again/u);
  assert.deepEqual([certificate.survivors, certificate.proved], [0, false]);
  assert.equal(rig.members().some(isAlive), false);
  await until('the supervisor has ended', () => !isAlive(supervisor));
});

test('a supervisor that stands still is dead to the desk after ten seconds: its family is ended, and it too', async (t) => {
  const all = await started(t);
  const { rig, review, session } = all;
  const helper = await leaveHelper(all);
  const supervisor = supervisorOf(rig);
  const stoppedAt = performance.now();
  process.kill(supervisor.pid, 'SIGSTOP');
  const { certificate } = await review.find('certificate');
  const tookMs = performance.now() - stoppedAt;
  t.diagnostic(`ended after ${Math.round(tookMs)} ms`);
  assert.ok(tookMs > timings.silentMs - 2 * timings.sweepMs, `${tookMs} ms`);
  assert.equal(certificate.session, session);
  assert.match(certificate.cause, /no sign of life for 10 s/u);
  assert.deepEqual([certificate.survivors, certificate.proved], [0, false]);
  assert.deepEqual([isAlive(helper), isAlive(supervisor)], [false, false]);
  assert.equal(rig.members().some(isAlive), false);
});

test('a family that changes the reviewer’s token hash is contained, and the hash is put back', async (t) => {
  const all = await started(t);
  const { rig, review, run, session } = all;
  const file = join(rig.places.state, 'reviewer');
  const before = readFileSync(file, 'utf8');
  const helper = await leaveHelper(all);
  const call = run.call('run', {
    command: '/bin/sh',
    args: ['-c', `echo sha256:${'0'.repeat(64)} > ${file}`],
  });
  await review.decide('once', (question) => isExec(question) && /sh/u.test(question.headline));
  assert.equal(Run.value(await run.answerTo(call)).code, 0);
  assert.notEqual(readFileSync(file, 'utf8'), before);
  // The next session's start is where the desk looks.
  const next = rig.run(['--name', 'next', '--', '/bin/cat']);
  const ready = next.initialize().catch(() => undefined);
  const refusal = await review.find('refusal', ({ rule }) => rule === 'installation changed');
  assert.equal(refusal.session, session);
  assert.match(refusal.text, /\/reviewer was changed while tools ran/u);
  const { certificate } = await review.find(
    'certificate',
    (message) => message.certificate.session === session,
  );
  assert.deepEqual([certificate.survivors, certificate.proved], [0, true]);
  assert.match(certificate.cause, /was changed while tools ran/u);
  assert.equal(isAlive(helper), false);
  assert.equal(readFileSync(file, 'utf8'), before);
  const [written] = recordsOf(rig, 'installation changed');
  assert.deepEqual(written?.sessions, [session]);
  next.child.kill('SIGKILL');
  await ready;
});

test('a family that is refused in a loop is written twenty times a minute and counted', async (t) => {
  const all = await started(t);
  const { rig, review, run, session } = all;
  // Deleted after it was opened: always refused, never asked.
  const script = [
    'cp /bin/true gone; exec 3< gone; rm gone',
    'i=0; while [ $i -lt 60 ]; do /proc/self/fd/3; i=$((i+1)); done',
  ].join('; ');
  const call = run.call('run', { command: '/bin/sh', args: ['-c', script] });
  // The shell, cp and rm.
  for (let program = 0; program < 3; program += 1) await review.decide('session', isExec);
  await run.answerTo(call);
  const refusals = (): Message[] => recordsOf(rig, 'refusal').filter((one) => one.session === session);
  assert.equal(refusals().length, 20, JSON.stringify(refusals()[0]));
  const gaps = await until('the coverage says so', () => {
    const view = review.seen.findLast((message) => message.kind === 'session')?.session;
    return view?.coverage.gaps['refusals not listed'];
  });
  assert.equal(gaps, 40);
  run.child.stdin.end();
  await run.ended();
  const counted = await until('the summary', () => recordsOf(rig, 'refusals counted')[0]);
  assert.deepEqual([counted.session, counted.count], [session, 40]);
  assert.equal(rig.members().some(isAlive), false);
});
