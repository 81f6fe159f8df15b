import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordsOf } from '../desk/harness.ts';
import { isExec, Run, started, until } from './rig.ts';

test('a reviewer asks what a member has open; only of members, and containment keeps it', async (t) => {
  const { rig, review, run, session } = await started(t);
  const secret = join(rig.home, '.env');
  writeFileSync(secret, 'KEY=1\n');
  const marker = join(rig.home, 'open');
  const text = `exec 3<${secret} 4>${marker}; echo on >&4; exec tail -f /dev/null`;
  const call = run.call('background', { command: '/bin/sh', args: ['-c', text] });
  await review.decide('once', isExec);
  const { pid } = Run.value(await run.answerTo(call));
  await review.decide('once', (question) => isExec(question) && /tail/u.test(question.headline));
  const born = await until('its birth', () => recordsOf(rig, 'birth').find((birth) => birth.pid === pid));
  const key = { session, pid, startedAt: born.startedAt };
  const ask = async (about: object, matches: (found: { kind: string }) => boolean) => {
    review.peer.send({ kind: 'openFiles', ...key, ...about });
    return review.find('openFiles', ({ found }) => matches(found));
  };
  await until('it runs', () =>
    recordsOf(rig, 'confirmed').some((exec) => exec.pid === pid && exec.exe.endsWith('tail')),
  );
  const { found } = await ask({}, ({ kind }) => kind === 'read');
  const files = found.files.map(({ path, note, access }: { path: string; note: string; access: string }) => [
    path.replace(rig.home, '~'),
    note,
    access,
  ]);
  assert.deepEqual(files, [
    ['~/.env', 'credentials', 'read'],
    ['~/open', 'project', 'write'],
  ]);
  assert.equal(found.cwd, rig.home);
  assert.match(found.exe, /\/(?:tail|coreutils)$/u);
  const stranger = await ask({ pid: process.pid }, ({ kind }) => kind === 'unreadable');
  assert.match(stranger.found.reason, /not in this family/u);

  review.peer.send({ kind: 'contain', session });
  const { certificate } = await review.find('certificate');
  assert.equal(certificate.survivors, 0);
  // On a busy machine the manifest may be late, and the certificate then names no folder.
  const folder = join(rig.places.state, 'evidence', session);
  const kept = readFileSync(join(folder, readdirSync(folder)[0] ?? '', 'openFiles.json'), 'utf8');
  assert.ok(kept.includes(secret) && kept.includes(`"pid": ${pid}`));
});
