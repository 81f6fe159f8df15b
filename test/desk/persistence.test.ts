import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Certificate } from '../../src/protocol/desk.ts';
import {
  type ChildPeer,
  type LinePeer,
  recordsOf,
  reviewer,
  runDesk,
  runningSession,
  type TestDesk,
  until,
} from './harness.ts';

const told = {
  cause: 'the client closed its end',
  signalled: [],
  survivors: 0,
  proved: true,
  outside: [],
  evidence: null,
  gaps: [],
  requestedAt: new Date().toISOString(),
  durationMs: 1,
  evidenceMs: 0,
};

function scratchHome(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'kw-home-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function writeUnit(home: string, name: string): string {
  const folder = join(home, '.config/systemd/user');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), '[Service]\n');
  return join(folder, name);
}

/** A desk, and which sessions' start-up places it has looked at. */
async function lookingDesk(t: TestContext, home: string): Promise<{ desk: TestDesk; looked: Set<string> }> {
  const looked = new Set<string>();
  return { desk: await runDesk(t, { home, firstLookDone: (id) => looked.add(id) }), looked };
}

/** A session whose first program has started, once its places have been looked at where `looked` is given. */
async function session(t: TestContext, desk: TestDesk, review: LinePeer, looked?: ReadonlySet<string>) {
  const { link, session: id, root } = await runningSession(t, desk, review);
  if (looked !== undefined) await until('the first look', () => looked.has(id));
  const program = { pid: root.pid, startedAt: root.startedAt, exe: '/bin/sleep', argv: ['sleep'], cwd: '/' };
  link.send({ kind: 'exec', step: 'confirmed', ...program, at: new Date().toISOString() });
  await review.next('exec', ({ session: of, step }) => of === id && step === 'confirmed');
  return { link, id };
}

async function ended(link: ChildPeer, id: string, review: LinePeer): Promise<Certificate> {
  link.send({ kind: 'ended', cause: told.cause, certificate: { ...told, session: id } });
  const { certificate } = await review.next('certificate', (message) => message.certificate.session === id);
  return certificate as Certificate;
}

test('what appeared while a session ran is on its certificate and in the record', async (t) => {
  const home = scratchHome(t);
  writeUnit(home, 'known.service');
  const { desk, looked } = await lookingDesk(t, home);
  const review = await reviewer(t, desk);
  const { link, id } = await session(t, desk, review, looked);
  const path = writeUnit(home, 'x.service');
  const certificate = await ended(link, id, review);
  assert.deepEqual(certificate.persistence, [
    { place: 'user unit', path, change: 'appeared', sessions: [id] },
  ]);
  assert.deepEqual(certificate.gaps, []);
  const [record] = recordsOf(desk, 'persistence');
  assert.deepEqual(record, {
    kind: 'persistence',
    session: id,
    sessions: [id],
    changes: [{ place: 'user unit', path, change: 'appeared' }],
    gaps: [],
  });
  assert.deepEqual(recordsOf(desk, 'certificate')[0]?.certificate.persistence, certificate.persistence);
});

test('nothing changed: an empty list says that it was compared', async (t) => {
  const { desk, looked } = await lookingDesk(t, scratchHome(t));
  const review = await reviewer(t, desk);
  const { link, id } = await session(t, desk, review, looked);
  assert.deepEqual((await ended(link, id, review)).persistence, []);
});

test('where two sessions ran, a change names both; one that comes later names itself alone', async (t) => {
  const home = scratchHome(t);
  const { desk, looked } = await lookingDesk(t, home);
  const review = await reviewer(t, desk);
  const first = await session(t, desk, review, looked);
  const second = await session(t, desk, review, looked);
  writeUnit(home, 'x.service');
  const ran = new Set([first.id, second.id]);
  const [one] = (await ended(first.link, first.id, review)).persistence ?? [];
  assert.deepEqual(new Set(one?.sessions), ran);
  const [other] = (await ended(second.link, second.id, review)).persistence ?? [];
  assert.deepEqual(new Set(other?.sessions), ran);
  const third = await session(t, desk, review, looked);
  writeUnit(home, 'y.service');
  const [alone] = (await ended(third.link, third.id, review)).persistence ?? [];
  assert.deepEqual(alone?.sessions, [third.id]);
});

test('a first look that comes too late is counted, and named on the certificate', async (t) => {
  const home = scratchHome(t);
  // A program that lists crontabs and does not answer until its file is there.
  const go = join(home, 'go');
  const slow = {
    file: '/bin/sh',
    args: ['-c', `while [ ! -e ${go} ]; do sleep 0.02; done`],
    parts: () => [],
    nothing: /^$/u,
  };
  const command = { place: { what: 'crontab' as const, path: 'crontab -l', depth: 0 }, read: slow };
  const desk = await runDesk(t, { home, commands: [command], timings: { firstLookMs: 5_000 } });
  const review = await reviewer(t, desk);
  const { link, id } = await session(t, desk, review);
  const { session: view } = await review.next('session', ({ session: seen }) =>
    Object.keys(seen.coverage.gaps).some((gap) => gap.includes('start-up places')),
  );
  assert.equal(view.coverage.gaps['start-up places first looked at after the launch'], 1);
  writeFileSync(go, '');
  const certificate = await ended(link, id, review);
  assert.match(certificate.gaps.join('\n'), /first looked at after the server had started/u);
});
