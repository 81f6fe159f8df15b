/** A program that is given variables which make it run other code is another program (THREATS 9). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Message, recordsOf } from '../desk/harness.ts';
import { isExec, Rig, Run, started, until } from './rig.ts';

const git = '/usr/bin/git';

function rowOf(question: Message, label: string): string | undefined {
  return question.rows.find((row: Message) => row.label === label)?.value;
}

function questionsOf(questions: readonly Message[]): Message[] {
  return questions.filter((question) => isExec({ transition: question.transition }));
}

test('an approved git is asked again with GIT_SSH_COMMAND, and not without', async (t) => {
  const { rig, review, run } = await started(t);
  const version = (env?: object): number =>
    run.call('run', { command: git, args: ['--version'], ...(env === undefined ? {} : { env }) });
  const plain = version();
  const first = await review.decide('session', isExec);
  assert.equal(rowOf(first, 'Environment'), undefined);
  await run.answerTo(plain);

  const changed = { GIT_SSH_COMMAND: 'touch /nowhere # --token=abcdef1234567890' };
  const asked = version(changed);
  const second = await review.find(
    'question',
    (each) => isExec({ transition: each.transition }) && each.id !== first.id,
  );
  assert.match(
    rowOf(second, 'Environment') ?? '',
    /^GIT_SSH_COMMAND=touch \/nowhere .* can load other code$/u,
  );
  assert.doesNotMatch(JSON.stringify(second), /abcdef1234567890/u);
  assert.equal(second.headlineComplete, false);
  review.answer(second.id, 'deny');
  assert.deepEqual(Run.value(await run.answerTo(asked), 1), { error: 'EACCES' });

  // Allowed for the session it is these exact variables; without them it is the program that was allowed first.
  const again = version(changed);
  const third = await review.decide(
    'session',
    (each) => isExec({ transition: each.transition }) && each.id !== second.id && each.id !== first.id,
  );
  await run.answerTo(again);
  await run.answerTo(version(changed));
  await run.answerTo(version());
  await run.answerTo(version({ HARMLESS: 'x', PYTHONUNBUFFERED: '1' }));
  assert.deepEqual(
    questionsOf(review.questions()).map(({ id }) => id),
    [first.id, second.id, third.id],
  );
  const other = version({ GIT_SSH_COMMAND: 'other' });
  await review.decide('deny', (each) => rowOf(each, 'Environment')?.includes('=other') === true);
  await run.answerTo(other);

  const released = recordsOf(rig, 'released').filter(({ exe }) => exe.endsWith('/git'));
  assert.deepEqual(
    released.map(({ environment }) => environment?.length),
    [undefined, 1, 1, undefined, undefined],
  );
  assert.doesNotMatch(JSON.stringify(rig.records()), /abcdef1234567890/u, 'values are masked in the record');
});

test('LD_PRELOAD, and a variable of the configuration that the caller replaces', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const run = rig.run(
    [
      '--name',
      'tools',
      '--env',
      'PAGER',
      '--',
      process.execPath,
      join(process.cwd(), 'out/test/fixtures/toolServer.mjs'),
    ],
    { PAGER: 'less' },
  );
  const ready = run.ready();
  await review.decide('once');
  await ready;
  const ask = (env: object): number => run.call('run', { command: '/bin/true', env });
  const own = ask({ PAGER: 'less' });
  const first = await review.decide('session', isExec);
  assert.equal(rowOf(first, 'Environment'), undefined, 'the server’s own says nothing');
  await run.answerTo(own);
  await run.answerTo(ask({}));
  assert.equal(questionsOf(review.questions()).length, 1);
  for (const [env, shown] of [
    [{ LD_PRELOAD: '/nowhere.so' }, 'LD_PRELOAD=/nowhere.so can load other code'],
    [{ PAGER: './mine' }, 'PAGER=./mine can load other code'],
  ] as const) {
    const call = ask(env);
    const question = await review.decide('deny', (each) => rowOf(each, 'Environment') === shown);
    assert.equal(question.headlineComplete, false);
    await run.answerTo(call);
  }
});

/** A server that starts a program while it starts, with variables of its own. */
function starting(t: TestContext, env: object): { rig: Rig; run: () => Run } {
  const rig = Rig.make(t);
  const server = join(rig.home, 'server.mjs');
  writeFileSync(
    server,
    `import { spawnSync } from 'node:child_process';
     spawnSync('/bin/true', { env: { ...process.env, ...${JSON.stringify(env)} } });
     await import(${JSON.stringify(join(process.cwd(), 'out/test/fixtures/toolServer.mjs'))});`,
  );
  return { rig, run: () => rig.run(['--name', 'tools', '--', process.execPath, server]) };
}

test('during the start-up a system program is asked when it is given other code', async (t) => {
  const { rig, run } = starting(t, { LD_PRELOAD: '/nowhere.so' });
  const review = await rig.reviewer();
  const ready = run().ready();
  await review.decide('once');
  const question = await review.decide('deny', isExec);
  assert.equal(rowOf(question, 'Environment'), 'LD_PRELOAD=/nowhere.so can load other code');
  await ready;
});

test('what a package runner sets during the start-up is the server’s own', async (t) => {
  const { rig, run: start } = starting(t, { npm_config_cache: '/tmp/x', EDITOR: 'vi' });
  const review = await rig.reviewer();
  const run = start();
  const ready = run.ready();
  await review.decide('once');
  await ready;
  assert.equal(questionsOf(review.questions()).length, 0);
  await run.answerTo(run.call('run', { command: '/bin/true', env: { npm_config_cache: '/tmp/x' } }));
  assert.equal(questionsOf(review.questions()).length, 0);
  const call = run.call('run', { command: '/bin/true', env: { npm_config_cache: '/tmp/y' } });
  await review.decide('deny', isExec);
  await run.answerTo(call);
});

test('an environment too large to be read is refused as arguments are', async (t) => {
  const { rig, review, run } = await started(t);
  const env = Object.fromEntries(
    Array.from({ length: 3 }, (_, index) => [`LARGE_${index}`, 'x'.repeat(60_000)]),
  );
  assert.deepEqual(Run.value(await run.answerTo(run.call('run', { command: '/bin/true', env })), 1), {
    error: 'EACCES',
  });
  assert.equal(questionsOf(review.questions()).length, 0);
  await until('it is recorded', () =>
    recordsOf(rig, 'refusal').some(({ rule }) => rule === 'arguments too large'),
  );
});

test('the record says how a program was asked for, and which boot it was', async (t) => {
  const { rig, review, run } = await started(t);
  const path = join(rig.home, 'helper');
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  const call = run.call('run', { command: path });
  await review.decide('once', isExec);
  await run.answerTo(call);
  assert.ok(existsSync(path));
  assert.ok(recordsOf(rig, 'released').some(({ requested }) => requested === path));
  const boot = execFileSync('/bin/cat', ['/proc/sys/kernel/random/boot_id'], { encoding: 'utf8' }).trim();
  assert.equal(recordsOf(rig, 'session opened')[0]?.bootId, boot);
});
