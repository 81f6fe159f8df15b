import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordsOf } from '../desk/harness.ts';
import { inCheckout, isAlive, isExec, type Key, Rig, Run, type Started, started, until } from './rig.ts';

/** A helper that outlives everything: in a session of its own, its parent gone. */
async function leaveHelper({ rig, review, run }: Started): Promise<Key> {
  const call = run.call('background', { command: '/bin/sh', args: ['-c', 'setsid -f sleep 1000'] });
  const answered: string[] = [];
  for (const name of [/sh/u, /setsid/u, /sleep/u]) {
    const question = await review.decide(
      'once',
      (other) => isExec(other) && name.test(other.headline) && !answered.includes(other.id),
    );
    answered.push(question.id);
  }
  await run.answerTo(call);
  const { pid } = await until('the helper runs', () =>
    recordsOf(rig, 'confirmed').find(({ exe }) => exe.endsWith('/sleep')),
  );
  const key = await until('its birth', () => recordsOf(rig, 'birth').find((birth) => birth.pid === pid));
  await until('it is detached', () =>
    review.seen.some((message) => message.kind === 'detached' && message.pid === pid),
  );
  return { pid: key.pid, startTicks: key.startTicks };
}

test('contain from the command line: evidence, then KILL, no survivors, proved', async (t) => {
  const all = await started(t);
  const helper = await leaveHelper(all);
  const { rig, run, session } = all;
  const { status, stdout, stderr } = rig.command('contain', session, '--json');
  assert.equal(status, 0, stderr);
  const certificate = JSON.parse(stdout);
  assert.equal(certificate.session, session);
  assert.equal(certificate.survivors, 0);
  assert.equal(certificate.proved, true);
  assert.equal(isAlive(helper), false);
  assert.ok(certificate.signalled.some(({ pid }: { pid: number }) => pid === helper.pid));
  const signals = certificate.signalled.flatMap((one: { signals: { signal: string }[] }) =>
    one.signals.map(({ signal }) => signal),
  );
  assert.deepEqual([...new Set(signals)], ['SIGKILL'], 'a person’s Contain sends no TERM');
  const folder: string = certificate.evidence.folder;
  assert.ok(folder.startsWith(rig.places.state));
  assert.ok(readdirSync(folder).includes('processes.json'));
  assert.match(
    readFileSync(join(folder, 'processes.json'), 'utf8'),
    new RegExp(`"pid": ?${helper.pid}\\b`, 'u'),
  );
  await run.ended();
});

test('contain while a program is held: the question is withdrawn, nothing of it runs', async (t) => {
  const { rig, review, run, session } = await started(t);
  const marker = join(rig.home, 'ran');
  run.call('run', { command: '/usr/bin/touch', args: [marker] });
  const question = await review.find('question', isExec);
  const { status, stderr } = rig.command('contain', session);
  assert.equal(status, 0, stderr);
  await review.find('withdrawn', ({ id }) => id === question.id);
  assert.equal(existsSync(marker), false);
  await run.ended();
});

test('contain as the answer denies and contains', async (t) => {
  const { rig, review, run } = await started(t);
  run.call('run', { command: '/usr/bin/touch', args: [join(rig.home, 'ran')] });
  await review.decide('contain', isExec);
  const { certificate } = await review.find('certificate');
  assert.equal(certificate.survivors, 0);
  assert.equal(certificate.proved, true);
  assert.equal(existsSync(join(rig.home, 'ran')), false);
  await run.ended();
});

test('contain of what is not there says so; of all without sessions is done', async (t) => {
  const rig = Rig.make(t);
  await rig.reviewer();
  const unknown = rig.command('contain', 'ffff');
  assert.equal(unknown.status, 3, unknown.stderr);
  assert.match(unknown.stderr, /ffff/u);
  const none = rig.command('contain', '--all', '--json');
  assert.equal(none.status, 0, none.stderr);
});

test('ps lists sessions and their trees', async (t) => {
  const all = await started(t);
  const helper = await leaveHelper(all);
  const { rig, session } = all;
  const { status, stdout, stderr } = rig.command('ps', '--json');
  assert.equal(status, 0, stderr);
  const found = JSON.parse(stdout).sessions.find((one: { session: string }) => one.session === session);
  assert.equal(found.server, 'tools');
  assert.equal(found.coverage.text, 'execs and connections held, datagrams judged, not pinned');
  const row = found.processes.find(({ pid }: { pid: number }) => pid === helper.pid);
  assert.equal(row.detached, true);
  assert.equal(row.session, session);
  for (const key of [
    'pid',
    'ppid',
    'startedAt',
    'user',
    'elapsed',
    'stat',
    'command',
    'exe',
    'argv',
    'cwd',
    'session',
    'detached',
  ]) {
    assert.ok(key in row, key);
  }
  assert.match(rig.command('ps').stdout, /sleep/u);
});

test('stop of one process ends it alone', async (t) => {
  const all = await started(t);
  const helper = await leaveHelper(all);
  const { rig, review, run, session } = all;
  const birth = await review.find('birth', ({ pid }) => pid === helper.pid);
  review.peer.send({ kind: 'stopProcess', session, pid: helper.pid, startedAt: birth.startedAt });
  await until('the helper has ended', () => !isAlive(helper));
  assert.equal(Run.value(await run.answerTo(run.call('echo', { value: 'on' }))), 'on');
  assert.ok(rig.members().some(isAlive));
});

test('the client closes its end: the detached helper ends too, asked before it is forced', async (t) => {
  const all = await started(t);
  const helper = await leaveHelper(all);
  const { review, run } = all;
  run.child.stdin.end();
  await run.ended();
  assert.equal(isAlive(helper), false);
  const { certificate } = await review.find('certificate');
  assert.equal(certificate.survivors, 0);
  assert.equal(certificate.proved, true);
  const signals = certificate.signalled.find(({ pid }: { pid: number }) => pid === helper.pid).signals;
  assert.deepEqual(
    signals.map(({ signal }: { signal: string }) => signal),
    ['SIGTERM'],
  );
});

test('a server that dies answers what was asked, with its end, and its children end', async (t) => {
  const all = await started(t);
  const helper = await leaveHelper(all);
  const { rig, run } = all;
  const call = run.call('wait', { ms: 100_000 });
  await until('the call is in flight', () =>
    recordsOf(rig, 'request').some(({ request }) => request.tool === 'wait'),
  );
  const server = recordsOf(rig, 'birth')[0];
  assert.ok(server);
  process.kill(server.pid, 'SIGKILL');
  const answer = await run.answerTo(call);
  assert.match(answer.error.message, /SIGKILL/u);
  await run.ended();
  assert.equal(isAlive(helper), false);
});

test('the supervisor is killed: the desk ends its family', async (t) => {
  const all = await started(t);
  const helper = await leaveHelper(all);
  const { rig, review } = all;
  const opened = recordsOf(rig, 'session opened')[0];
  assert.ok(opened);
  process.kill(opened.supervisor.pid, 'SIGKILL');
  await until('everyone has ended', () => !rig.members().some(isAlive));
  const { certificate } = await review.find('certificate');
  assert.equal(certificate.proved, false, 'the kernel’s word went with the supervisor');
  assert.equal(certificate.survivors, 0);
  assert.equal(isAlive(helper), false);
});

test('SIGKILL on what the client started leaves nothing alive, 50 of 50', { timeout: 600_000 }, async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  let proved = 0;
  const server = inCheckout('test', 'fixtures', 'helperServer.sh');
  for (let i = 0; i < 50; i += 1) {
    // Every tenth pair is deaf: to a closed stdin, and to TERM.
    const run = rig.run([
      '--name',
      `server-${i}`,
      '--',
      '/bin/sh',
      server,
      ...(i % 10 === 0 ? ['deaf'] : []),
    ]);
    const ready = run.initialize();
    const { session } = await review.decide('once', (question) => question.server === `server-${i}`);
    await ready;
    await ready;
    run.child.kill('SIGKILL');
    const { certificate } = await review.find(
      'certificate',
      (message) => message.certificate.session === session,
    );
    assert.equal(certificate.survivors, 0);
    if (certificate.proved) proved += 1;
  }
  assert.equal(proved, 50);
  const births = recordsOf(rig, 'birth');
  const sessions = [...new Set(births.map(({ session }) => session))];
  assert.equal(sessions.length, 50);
  for (const session of sessions) {
    assert.ok(births.filter((birth) => birth.session === session).length >= 2, 'each had its helper');
  }
  assert.equal(rig.members().some(isAlive), false);
});

test('a helper whose parent ends at once is shown as detached, whichever is seen first', async (t) => {
  const { rig, review, run } = await started(t);
  const helpers = 20;
  const script = `i=0; while [ $i -lt ${helpers} ]; do (sleep 1000 &); i=$((i+1)); done`;
  run.call('background', { command: '/bin/sh', args: ['-c', script] });
  const answered = new Set<string>();
  await until('each helper is detached', () => {
    for (const { id, transition } of review.questions()) {
      if (transition !== 'new executable' || answered.has(id)) continue;
      answered.add(id);
      review.answer(id, 'session');
    }
    const sleeping = recordsOf(rig, 'confirmed').filter(({ exe }) => exe.endsWith('/sleep'));
    const detached = new Set(recordsOf(rig, 'detached').map(({ pid }) => pid));
    return sleeping.length === helpers && sleeping.every(({ pid }) => detached.has(pid));
  });
});

test('a secret among a member’s arguments is in no certificate', async (t) => {
  const { rig, run, review, session } = await started(t);
  const script = join(rig.home, 'helper.sh');
  writeFileSync(script, '#!/bin/sh\nread -r line < /dev/zero\n', { mode: 0o755 });
  run.call('background', { command: script, args: ['--password', 'hunter2hunter2'] });
  await review.decide('once', isExec);
  await until('it runs', () => recordsOf(rig, 'confirmed').some(({ argv }) => argv.includes(script)));
  const { status, stdout, stderr } = rig.command('contain', session, '--json');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /helper\.sh/u);
  const { folder } = JSON.parse(stdout).evidence;
  for (const text of [
    stdout,
    JSON.stringify(recordsOf(rig, 'certificate')),
    readFileSync(join(folder, 'processes.json'), 'utf8'),
  ]) {
    assert.equal(text.includes('hunter2hunter2'), false);
  }
});

test('a helper in a session of its own is shown as detached while its parent lives', async (t) => {
  const { rig, review, run } = await started(t);
  const call = run.call('background', { command: '/bin/sleep', args: ['1000'] });
  const question = await review.decide('once', isExec);
  await run.answerTo(call);
  const pid = question.process.pid;
  await until('it is told', () => recordsOf(rig, 'detached').some((record) => record.pid === pid));
  assert.equal(recordsOf(rig, 'end').length, 0, 'nobody has ended');
});
