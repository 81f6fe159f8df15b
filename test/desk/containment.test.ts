/** Ends of families: a person's Contain, evidence, lost and silent supervisors; lists; idle end. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeEvidence } from '../../src/contain/evidence.ts';
import { isAlive } from '../../src/desk/processes.ts';
import {
  execFacts,
  inMs,
  keyOf,
  makePlaces,
  operator,
  readRecords,
  recordsOf,
  reviewer,
  runDesk,
  runningSession,
} from './harness.ts';

const certificate = {
  cause: 'contained',
  signalled: [],
  survivors: 0,
  proved: true,
  outside: [],
  evidence: null,
  gaps: [],
  requestedAt: new Date().toISOString(),
  durationMs: 5,
  evidenceMs: 1,
};

test('contain: the supervisor freezes, the desk writes evidence, everyone gets the certificate', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, session, root } = await runningSession(t, desk, review);
  const terminal = await operator(t, desk);
  terminal.send({ kind: 'contain', session: 'nothing' });
  assert.match((await terminal.next('failed')).reason, /no session "nothing".*kinwatch ps/);
  terminal.send({ kind: 'contain', session });
  assert.equal((await link.next('contain')).by, 'contained from the command line');
  const member = {
    ...root,
    ppid: link.pid,
    state: 'T',
    exe: '/usr/bin/sleep',
    argv: ['sleep', '1000', '--token', 'abcdef012345'],
  };
  link.send({ kind: 'frozen', cause: 'contained', members: [member] });
  const evidence = await link.next('evidence');
  assert.deepEqual(evidence.gaps, []);
  assert.ok(evidence.evidenceMs < 1_000);
  assert.ok(evidence.folder.startsWith(join(desk.places.state, 'evidence', session)));
  const manifestText = readFileSync(join(evidence.folder, 'manifest.json'));
  assert.equal(evidence.manifest, `sha256:${createHash('sha256').update(manifestText).digest('hex')}`);
  const { files } = JSON.parse(manifestText.toString('utf8'));
  assert.deepEqual(
    files.map(({ file }: { file: string }) => file).filter((file: string) => file !== 'lsof.txt'),
    ['tree.json', 'report.md', 'openFiles.json', 'processes.json'],
  );
  for (const { file, sha256 } of files) {
    const content = readFileSync(join(evidence.folder, file));
    assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
    assert.equal(statSync(join(evidence.folder, file)).mode & 0o777, 0o600);
    assert.ok(!content.includes('abcdef012345'), file);
  }
  assert.match(readFileSync(join(evidence.folder, 'report.md'), 'utf8'), new RegExp(`${root.pid} .*sleep`));
  link.send({ kind: 'ended', cause: 'contained', certificate: { ...certificate, session } });
  assert.equal((await terminal.next('certificate')).certificate.survivors, 0);
  assert.equal((await review.next('certificate')).certificate.session, session);
  const view = await review.next('session', (message) => message.session.state === 'ended');
  assert.equal(view.session.certificate.proved, true);
  terminal.send({ kind: 'contain', session });
  assert.match((await terminal.next('failed')).reason, /already ended/);
  assert.equal(recordsOf(desk, 'certificate').length, 1);
});

test('a supervisor that dies: its family is ended within 2 s, not proved', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, session, root } = await runningSession(t, desk, review);
  const started = performance.now();
  link.process.kill('SIGKILL');
  const { certificate: given } = await review.next('certificate');
  assert.ok(performance.now() - started < 2_000);
  assert.equal(isAlive(root), false);
  assert.deepEqual(
    [given.session, given.survivors, given.proved, given.cause],
    [session, 0, false, 'supervisor died'],
  );
  assert.ok(given.signalled.some(({ pid }: { pid: number }) => pid === root.pid));
  const { session: view } = await review.next('session', (message) => message.session.state === 'ended');
  assert.deepEqual([view.processes[0].state, view.processes[0].status], ['ended', 'unknown']);
});

test('a supervisor that does not contain: the desk does, and ends it too', async (t) => {
  const desk = await runDesk(t, { timings: { containMs: 50 } });
  const review = await reviewer(t, desk);
  const { link, session, root } = await runningSession(t, desk, review);
  const supervisor = keyOf(link.pid);
  review.send({ kind: 'contain', session });
  const { certificate: given } = await review.next('certificate');
  assert.match(given.cause, /did not contain in time/);
  assert.deepEqual([isAlive(root), isAlive(supervisor)], [false, false]);
});

test('stop a process: asked of its supervisor, and only for a living member', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, session, root } = await runningSession(t, desk, review);
  const { pid, startedAt } = root;
  review.send({ kind: 'stopProcess', session, pid, startedAt });
  assert.deepEqual(await link.next('stopProcess'), { kind: 'stopProcess', pid, startedAt });
  link.send({ kind: 'stopped', pid, startedAt, outcome: 'it could not be ended' });
  assert.equal((await review.next('failed')).reason, 'it could not be ended');
  link.send({ kind: 'end', pid, startedAt, status: 'signal SIGKILL', at: new Date().toISOString() });
  await review.next('end');
  review.send({ kind: 'stopProcess', session, pid, startedAt });
  assert.match((await review.next('failed')).reason, /not running any more/);
});

test('ps shows what runs, with the kernel’s word', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, session, root } = await runningSession(t, desk, review);
  const { pid, startedAt } = root;
  link.send({
    kind: 'exec',
    pid,
    startedAt,
    step: 'confirmed',
    exe: '/usr/bin/sleep',
    argv: ['sleep', '1000'],
    cwd: '/',
    at: new Date().toISOString(),
  });
  await review.next('exec');
  const terminal = await operator(t, desk);
  terminal.send({ kind: 'ps' });
  const { sessions } = await terminal.next('sessions');
  assert.equal(sessions.length, 1);
  const [row] = sessions[0].processes;
  assert.deepEqual(
    [row.pid, row.ppid, row.stat, row.command, row.exe, row.argv, row.session, row.detached],
    [pid, link.pid, 'S', 'sleep', '/usr/bin/sleep', ['sleep', '1000'], session, false],
  );
  assert.ok(row.elapsed >= 0 && row.elapsed < 60);
});

test('records stand in the order of events', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  const { pid, startedAt } = root;
  const at = new Date().toISOString();
  const request = { number: 1, method: 'tools/call', tool: 'build', attribution: 'certain' };
  const exec = { kind: 'exec', pid, startedAt, exe: '/usr/bin/make', argv: ['make'], cwd: '/', at };
  link.send({ kind: 'request', request, arguments: '{}', at });
  for (let round = 0; round < 50; round += 1) {
    link.send({ ...exec, step: 'released', because: `round ${round}` });
    link.send({ ...exec, step: 'confirmed' });
  }
  link.send({ kind: 'ask', ref: 'a', facts: execFacts(root), heldUntil: inMs(60_000) });
  const { id } = await review.next('question');
  link.send({ kind: 'result', number: 1, outcome: 'result', at });
  link.send({ kind: 'detached', pid, startedAt, at });
  await review.next('detached');
  review.send({ kind: 'answer', id, choice: 'once' });
  await link.next('decision');
  link.send({ kind: 'end', pid, startedAt, status: 'exit 0', at });
  await review.next('end');
  const kinds = readRecords(desk).map(({ body }) => body.kind);
  const expected = [
    'desk started',
    'reviewer enrolled',
    'session opened',
    'question asked',
    'decision',
    'birth',
    'request',
    ...Array.from({ length: 50 }, () => ['released', 'confirmed']).flat(),
    'question asked',
    'result',
    'detached',
    'decision',
    'end',
  ];
  assert.deepEqual(kinds, expected);
});

test('a very long argument vector is listed with a count, and stands whole in the journal', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, root } = await runningSession(t, desk, review);
  const { pid, startedAt } = root;
  const argv = ['x', 'y'.repeat(100_000), 'z'];
  link.send({
    kind: 'exec',
    pid,
    startedAt,
    step: 'confirmed',
    exe: '/bin/x',
    argv,
    cwd: '/',
    at: new Date().toISOString(),
  });
  assert.deepEqual((await review.next('exec')).argv, ['x', '[100001 characters in 2 arguments not listed]']);
  const written = readRecords(desk).map(({ body }) => (body.kind === 'confirmed' ? body.argv : undefined));
  assert.deepEqual(written.at(-1), argv);
});

test('the desk ends when neither session nor connection is left', async (t) => {
  const desk = await runDesk(t, { timings: { idleMs: 50 } });
  const review = await reviewer(t, desk);
  review.socket.destroy();
  assert.equal(await desk.desk.ended, 'idle');
  assert.equal(existsSync(desk.places.socket), false);
  assert.equal(recordsOf(desk, 'desk ended')[0]?.reason, 'idle');
});

test('evidence that takes too long is named as skipped, and the rest is written', async (t) => {
  const { state } = makePlaces(t);
  const base = {
    directory: join(state, 'e'),
    session: 's',
    server: 'x',
    client: 'y',
    cause: 'z',
    members: [],
    view: {},
    openFiles: () => [],
    lsof: undefined,
  };
  const slow = await writeEvidence({
    ...base,
    processTable: () => new Promise(() => undefined),
    budgetMs: 100,
  });
  assert.match(slow.gaps[0] ?? '', /processes.json was not written: it took too long/);
  assert.ok(existsSync(join(slow.folder ?? '', 'report.md')));
  const failing = await writeEvidence({
    ...base,
    processTable: () => Promise.reject(new Error('no ps')),
    budgetMs: 5_000,
  });
  assert.deepEqual(failing.gaps, ['processes.json was not written: no ps']);
  const manifest = JSON.parse(readFileSync(join(failing.folder ?? '', 'manifest.json'), 'utf8'));
  assert.deepEqual(manifest.skipped, failing.gaps);
  const nowhere = await writeEvidence({
    ...base,
    directory: '/dev/null/nowhere',
    processTable: () => Promise.resolve([]),
    budgetMs: 5_000,
  });
  assert.equal(nowhere.folder, null);
});
