import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordsOf, runDesk } from '../desk/harness.ts';
import { isExec, Rig, until } from './rig.ts';

/** Everything below a folder: path, content, times of change. */
function pictureOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const stats = statSync(join(folder, name), { bigint: true });
      const text = stats.isFile() ? readFileSync(join(folder, name), 'utf8') : '';
      return `${name} ${stats.ino} ${stats.ctimeNs} ${text}`;
    });
}

test('a family that leaves a unit, a key and a line in .bashrc behind: the certificate names all three, nothing is undone', async (t) => {
  const rig = Rig.make(t);
  const home = join(rig.home, 'person');
  mkdirSync(join(home, '.ssh'), { recursive: true });
  mkdirSync(join(home, '.config/systemd/user'), { recursive: true });
  writeFileSync(join(home, '.bashrc'), 'alias ll=ls\n');
  // The user of these tests has no passwd entry: the desk is this process's own, with a home to look at.
  await runDesk(t, { places: rig.places, home });
  // The rig ends the desk that this file names.
  rmSync(join(rig.places.runtime, 'desk.pid'));
  const review = await rig.reviewer();
  const run = rig.runTools();
  const ready = run.ready();
  const { session } = await review.decide('once');
  await ready;
  const text = [
    `echo '[Service]' > ${home}/.config/systemd/user/x.service`,
    `echo 'ssh-ed25519 AAAA x' > ${home}/.ssh/authorized_keys`,
    `echo 'true' >> ${home}/.bashrc`,
    `echo 'nothing' > ${home}/notes.txt`,
  ].join('; ');
  const call = run.call('run', { command: '/bin/sh', args: ['-c', text] });
  await review.decide('once', isExec);
  await run.answerTo(call);
  const left = pictureOf(home);
  run.child.stdin.end();
  await run.ended();
  const { certificate } = await review.find('certificate', ({ certificate: of }) => of.session === session);
  assert.deepEqual(
    certificate.persistence.map((each: { place: string; change: string; path: string }) => [
      each.place,
      each.change,
      each.path.replace(home, '~'),
    ]),
    [
      ['user unit', 'appeared', '~/.config/systemd/user/x.service'],
      ['shell start-up file', 'changed', '~/.bashrc'],
      ['authorized_keys file', 'appeared', '~/.ssh/authorized_keys'],
    ],
  );
  assert.deepEqual([certificate.survivors, certificate.proved], [0, true]);
  // On a busy machine the launch may come first, and is told.
  const gaps = certificate.gaps.filter((gap: string) => !gap.includes('first looked at after'));
  assert.deepEqual(gaps, []);
  assert.deepEqual(pictureOf(home), left, 'listed, never touched');
  const [record] = await until('its record', () => {
    const found = recordsOf(rig, 'persistence');
    return found.length > 0 ? found : undefined;
  });
  assert.equal(record?.changes.length, 3);
});
