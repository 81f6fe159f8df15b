import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordsOf } from '../desk/harness.ts';
import { inCheckout, isAlive, isExec, Rig, Run, started } from './rig.ts';

const filesystem = inCheckout('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

test('a start waits for its answer; allowed, the real server answers, and its end is proved', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const run = rig.run(['--name', 'files', '--', 'node', filesystem, rig.home]);
  const initialize = run.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'somebody', version: '7' },
  });
  const question = await review.find('question');
  assert.equal(question.transition, 'first start');
  assert.equal(recordsOf(rig, 'birth').length, 0, 'nothing runs before the answer');
  assert.match(JSON.stringify(question.rows), /somebody 7/u, 'the card shows what the client calls itself');
  // Pings are answered while the start waits.
  assert.deepEqual((await run.request('ping')).result, {});
  await review.decide('once');
  assert.equal((await run.answerTo(initialize)).result.serverInfo.name, 'secure-filesystem-server');
  run.send({ method: 'notifications/initialized' });
  const call = await run.answerTo(run.call('list_directory', { path: rig.home }));
  assert.match(call.result.content[0].text, /state/u);
  run.child.stdin.end();
  assert.deepEqual(await run.ended(), { code: 0, signal: null });
  const { certificate } = await review.find('certificate');
  assert.equal(certificate.survivors, 0);
  assert.equal(certificate.proved, true);
  assert.equal(review.questions().length, 1, 'start-up programs are listed, not asked');
});

test('a denied start answers initialize with an error that says so, and launches nothing', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const run = rig.runTools();
  const initialize = run.initialize();
  await review.decide('deny');
  const answer = await initialize;
  assert.match(answer.error.message, /denied/u);
  assert.deepEqual(await run.ended(), { code: 3, signal: null });
  assert.equal(recordsOf(rig, 'birth').length, 0);
});

test('session: relaunches by the same client process are not asked; once: they are', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  for (const choice of ['once', 'session']) {
    const run = rig.runTools();
    const ready = run.ready();
    await review.decide(choice);
    await ready;
    run.child.stdin.end();
    await run.ended();
  }
  const third = rig.runTools();
  await third.ready();
  assert.equal(review.questions().length, 2);
});

test('the decision is on disk before what it decides goes on', async (t) => {
  const { rig } = await started(t);
  const kinds = rig.records().map(({ body }) => body.kind);
  assert.ok(kinds.indexOf('decision') >= 0);
  assert.ok(kinds.indexOf('decision') < kinds.indexOf('birth'), kinds.join());
});

test('the family gets the client’s variables without secrets, the supervisor gets none', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const run = rig.runTools({
    GITHUB_TOKEN: 'ghp_0123456789abcdefghijABCDEFGHIJ',
    VSCODE_IPC_HOOK: '/tmp/x.sock',
    NVM_DIR: '/opt/nvm',
    // Would stop any Node process that inherited it.
    NODE_OPTIONS: '--require=/nonexistent.js',
  });
  const ready = run.ready();
  await review.decide('once');
  await ready;
  const environment = Run.value(await run.answerTo(run.call('environment')));
  assert.deepEqual(Object.keys(environment).toSorted(), ['HOME', 'NVM_DIR', 'PATH']);
  assert.doesNotMatch(JSON.stringify(rig.records()), /ghp_/u, 'no record holds the secret');
});

test('killing the client’s process ends the family', async (t) => {
  const { rig, run } = await started(t);
  run.child.kill('SIGTERM');
  await run.ended();
  assert.ok(rig.members().length > 0);
  assert.equal(rig.members().some(isAlive), false, 'the shim returns when the family is gone');
});

test('a start nobody answers in the client’s time is refused; the question stays, and the next launch rejoins it', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const first = rig.runTools();
  // Cline gives a start three seconds.
  const answer = await first.initialize('Cline');
  assert.match(answer.error.message, /waiting for approval in Kinwatch/iu);
  assert.deepEqual(await first.ended(), { code: 3, signal: null });
  const question = await review.find('question');
  assert.equal(
    review.seen.some(({ kind }) => kind === 'withdrawn'),
    false,
    'it stays open',
  );
  review.answer(question.id, 'once');
  await review.find('answered', ({ id, outcome }) => id === question.id && outcome === 'accepted');
  const second = rig.runTools();
  await second.ready();
  assert.equal(
    review.questions().filter(({ id }) => id !== question.id).length,
    0,
    'the answer counted for this launch',
  );
  assert.equal(recordsOf(rig, 'birth').length > 0, true);
});

test('without a reviewer a start is held and stays open; a new program is denied and says how to open one', async (t) => {
  const { review, run } = await started(t);
  review.peer.socket.destroy();
  const answer = await run.answerTo(run.call('run', { command: '/usr/bin/id' }));
  assert.equal(answer.result.isError, true);
  assert.match(answer.result.content[0].text, /no reviewer connected/u);
  assert.match(answer.result.content[0].text, /Show Panel|open/u);
});

test('start-up: the system’s programs are not asked, another script of the user’s own is', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const other = join(rig.home, 'other.sh');
  writeFileSync(other, '#!/bin/sh\n', { mode: 0o755 });
  const server = join(rig.home, 'server.sh');
  const answer =
    '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}';
  writeFileSync(
    server,
    `#!/bin/sh\n/bin/true\n${other} &\nread -r line\nwait\necho '${answer}'\nread -r line\n`,
    { mode: 0o755 },
  );
  const run = rig.run(['--name', 'own', '--', server]);
  const ready = run.initialize();
  await review.decide('once');
  const question = await review.decide('deny', isExec);
  assert.match(question.headline, /other\.sh/u);
  await ready;
  assert.equal(review.questions().filter(isExec).length, 1);
});
