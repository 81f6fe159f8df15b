/**
 * Field case 5: work that a family has done by something outside it. Now it is named, on the card and on the
 * certificate; it is not reached.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readCmdline, readStat } from '../../src/watch/proc.ts';
import { type Message, recordsOf } from '../desk/harness.ts';
import { isAlive, isExec, type Key, Rig, Run, started, toolServer, until } from './rig.ts';

const slow = { timeout: 300_000 };

interface Daemon {
  /** A client that has the daemon start what it is told to. */
  readonly docker: string;
  readonly key: Key;
  readonly hasStarted: () => boolean;
}

/** Started by the test: no child of any family, before or after it was asked. */
function daemon(t: TestContext, { home }: Rig): Daemon {
  const pipe = join(home, 'asked');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const child = spawn('/bin/sh', ['-c', `read asked <"${pipe}"; exec sleep 1000`], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const pid = child.pid ?? 0;
  const startTicks = readStat(pid)?.startTicks;
  assert.ok(startTicks !== undefined);
  const docker = join(home, 'docker');
  writeFileSync(docker, `#!/bin/sh\necho "$@" >"${pipe}"\n"${process.execPath}" "${toolServer}"\n`);
  chmodSync(docker, 0o755);
  return {
    docker,
    key: { pid, startTicks },
    hasStarted: () => readCmdline(pid)?.[0]?.toString() === 'sleep',
  };
}

const mayStart = (question: Message): string =>
  question.rows.find(({ label }: { label: string }) => label === 'May start').value;

for (const way of ['stdin closed', 'SIGTERM', 'SIGKILL'] as const) {
  test(`field case 5: a server that is a container’s client: ${way}`, slow, async (t) => {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    const { docker, key, hasStarted } = daemon(t, rig);
    const run = rig.run(['--name', 'boxed', '--', docker, 'run', '-i', '--rm', 'image', 'stdio']);
    const ready = run.ready();
    assert.match(
      mayStart(await review.decide('once')),
      /^A container, not a child process: it isn’t watched/u,
    );
    await ready;
    assert.equal(Run.value(await run.answerTo(run.call('echo', { value: 'here' }))), 'here');
    await until('the daemon has its work', hasStarted);
    if (way === 'stdin closed') run.child.stdin.end();
    else run.child.kill(way);
    const { certificate } = await review.find('certificate');
    assert.deepEqual([certificate.survivors, certificate.proved], [0, true]);
    assert.deepEqual(certificate.outside, [
      `container, not a child process: /bin/sh ${docker} run -i --rm image stdio`,
    ]);
    await until('nobody is left', () => !rig.members().some(isAlive));
    assert.ok(isAlive(key), 'named, and not reached');
  });
}

test('field case 5: a tool’s container, and the supervisor dies: the desk names it', slow, async (t) => {
  const { rig, review, run } = await started(t);
  const { docker, key, hasStarted } = daemon(t, rig);
  run.call('background', { command: docker, args: ['run', '-d', 'image'] });
  assert.match(mayStart(await review.decide('once', isExec)), /^A container, not a child process/u);
  await until('the daemon has its work', hasStarted);
  const [opened] = recordsOf(rig, 'session opened');
  assert.ok(opened);
  process.kill(opened.supervisor.pid, 'SIGKILL');
  const { certificate } = await review.find('certificate');
  assert.deepEqual([certificate.survivors, certificate.proved], [0, false]);
  assert.equal(certificate.outside.length, 1, JSON.stringify(certificate.outside));
  assert.match(certificate.outside[0], /^container, not a child process: .*docker run -d image$/u);
  assert.ok(isAlive(key));
});
