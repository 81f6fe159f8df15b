/** What a supervisor says of connections: on the disk, in the view, and counted when it comes in a loop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordBody } from '../../src/journal/record.ts';
import { inMs, recordsOf, reviewer, runDesk, runningSession, until } from './harness.ts';

test('a released connection is written, shown, and its outcome with it', async (t) => {
  const desk = await runDesk(t);
  const review = await reviewer(t, desk);
  const { link, root, session } = await runningSession(t, desk, review);
  const key = { pid: root.pid, startedAt: root.startedAt };
  const place = {
    action: 'connect',
    transport: 'tcp',
    endpoint: { kind: 'inet', address: '2001:db8::7', port: 443 },
    host: 'packages.example',
  };
  const said = { kind: 'connection', ...key, ...place, at: inMs(0) };
  link.send({ ...said, step: 'released', because: 'allowed for this session' });
  link.send({ ...said, step: 'failed', error: 'ECONNREFUSED' });
  assert.deepEqual(await review.next('connection'), {
    kind: 'connection',
    session,
    ...key,
    ...place,
    step: 'released',
  });
  assert.equal((await review.next('connection')).error, 'ECONNREFUSED');
  const [released, failed] = recordsOf(desk, 'connection');
  assert.equal(released?.because, 'allowed for this session');
  assert.equal(failed?.error, 'ECONNREFUSED');
  assert.deepEqual(recordBody.parse(failed), failed);

  const late = await reviewer(t, desk);
  link.send({ kind: 'coverage', coverage: { level: 'held', text: 'told', gaps: {} } });
  const { session: view } = await late.next('session', (message) => message.session.coverage.text === 'told');
  const [process] = view.processes;
  assert.deepEqual(process.connections, [
    { ...place, state: 'failed', since: said.at, error: 'ECONNREFUSED' },
  ]);
});

test('a loop is listed twenty times a minute; the rest is a number in the record and in the coverage', async (t) => {
  const desk = await runDesk(t, { timings: { sweepMs: 50 } });
  const review = await reviewer(t, desk);
  const { link, root, session } = await runningSession(t, desk, review);
  const said = (port: number) => ({
    kind: 'connection',
    pid: root.pid,
    startedAt: root.startedAt,
    step: 'released',
    action: 'connect',
    transport: 'tcp',
    endpoint: { kind: 'inet', address: '127.0.0.1', port },
    at: inMs(0),
  });
  for (let round = 0; round < 25; round += 1) link.send(said(9000));
  link.send(said(9001));
  await review.next('connection', ({ endpoint }) => endpoint.port === 9001);
  assert.equal(review.seen.filter(({ kind }) => kind === 'connection').length, 20);
  assert.equal(recordsOf(desk, 'connection').length, 21);
  const told = await review.next(
    'session',
    (message) => 'connections not listed' in message.session.coverage.gaps,
  );
  assert.equal(told.session.coverage.gaps['connections not listed'], 5);

  link.process.kill('SIGKILL');
  await until('the end', () => recordsOf(desk, 'session ended')[0]);
  const [counted] = recordsOf(desk, 'connections counted');
  assert.deepEqual([counted?.session, counted?.step, counted?.count], [session, 'released', 5]);
  assert.match(counted?.of ?? '', /to 127\.0\.0\.1 9000$/u);
});
