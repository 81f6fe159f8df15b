import assert from 'node:assert/strict';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordsOf } from '../desk/harness.ts';
import { isExec, type Rig, Run, started, until } from './rig.ts';

function program(rig: Rig, name: string, text: string): string {
  const path = join(rig.home, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

test('a new program is held inside the exec; allowed, it runs', async (t) => {
  const { rig, review, run } = await started(t);
  const marker = join(rig.home, 'ran');
  const path = program(rig, 'helper', `#!/bin/sh\ntouch ${marker}\necho done\n`);
  const call = run.call('run', { command: path });
  const question = await review.find('question', isExec);
  assert.match(question.headline, /helper/u);
  assert.equal(question.request.tool, 'run');
  assert.equal(question.request.attribution, 'certain');
  assert.equal(existsSync(marker), false, 'it waits before its first instruction');
  // The server itself waits inside its spawn, as every Node server does; the client’s pings are answered.
  assert.deepEqual((await run.request('ping')).result, {});
  review.answer(question.id, 'once');
  // What the script starts is a program of its own, and asked for itself.
  const touch = await review.decide('once', (other) => isExec(other) && /touch/u.test(other.headline));
  assert.equal(touch.request.tool, 'run');
  const answer = await run.answerTo(call);
  assert.equal(answer.result.isError, undefined);
  assert.deepEqual(Run.value(answer), { code: 0, signal: null, output: 'done\n' });
  assert.ok(existsSync(marker));
  const confirmed = recordsOf(rig, 'confirmed').map(({ exe }) => exe);
  assert.ok(
    confirmed.some((exe) => /\/(?:da)?sh$/u.test(exe)),
    'the program that really started is recorded',
  );
});

test('denied, the server’s call gets EACCES and the agent an error that says what; its own content stays', async (t) => {
  const { rig, review, run } = await started(t);
  const path = program(rig, 'helper', '#!/bin/sh\n');
  const call = run.call('run', { command: path });
  await review.decide('deny', isExec);
  const answer = await run.answerTo(call);
  assert.equal(answer.result.isError, true);
  assert.match(answer.result.content[0].text, /Kinwatch denied .*helper/u);
  assert.deepEqual(Run.value(answer, 1), { error: 'EACCES' });
  const refusal = recordsOf(rig, 'refusal').find(({ rule }) => rule === 'denied by reviewer');
  assert.ok(refusal, 'the record says so too');
});

test('where the attribution is not certain the result passes unchanged, and the record says what was denied', async (t) => {
  const { rig, review, run } = await started(t);
  const path = program(rig, 'helper', '#!/bin/sh\n');
  const other = run.call('wait', { ms: 3000 });
  await until('the other call is in flight', () =>
    recordsOf(rig, 'request').some(({ request }) => request.tool === 'wait'),
  );
  const call = run.call('run', { command: path });
  const question = await review.decide('deny', isExec);
  assert.equal(question.request.attribution, 'one-of');
  const answer = await run.answerTo(call);
  assert.equal(answer.result.isError, undefined);
  assert.deepEqual(Run.value(answer), { error: 'EACCES' });
  assert.ok(recordsOf(rig, 'refusal').some(({ rule }) => rule === 'denied by reviewer'));
  await run.answerTo(other);
});

test('a server that waits for its child while it is held: pings are answered and progress is sent', async (t) => {
  const { rig, review, run } = await started(t);
  const path = program(rig, 'helper', '#!/bin/sh\necho late\n');
  const call = run.ask('tools/call', {
    name: 'runBlocking',
    arguments: { command: path },
    _meta: { progressToken: 'token-1' },
  });
  const question = await review.find('question', isExec);
  const progress = await until('progress', () =>
    run.received.find(
      ({ method, params }) => method === 'notifications/progress' && params.progressToken === 'token-1',
    ),
  );
  assert.match(progress.params.message, /Waiting for approval in Kinwatch/u);
  assert.deepEqual((await run.request('ping')).result, {});
  review.answer(question.id, 'once');
  assert.equal(Run.value(await run.answerTo(call)).output, 'late\n');
});

test('session: the same program is not asked again, another text of it is', async (t) => {
  const { rig, review, run } = await started(t);
  const path = program(rig, 'helper', '#!/bin/sh\necho 1\n');
  const first = run.call('run', { command: path });
  await review.decide('session', isExec);
  await run.answerTo(first);
  assert.equal(Run.value(await run.answerTo(run.call('run', { command: path, args: ['x'] }))).output, '1\n');
  const asked = review.questions().length;
  program(rig, 'helper', '#!/bin/sh\necho 2\n');
  const changed = run.call('run', { command: path });
  await review.decide(
    'deny',
    (question) => isExec(question) && review.questions().indexOf(question) >= asked,
  );
  assert.equal((await run.answerTo(changed)).result.isError, true);
});

test('a file that changes between card and answer is not what runs', async (t) => {
  const { rig, review, run } = await started(t);
  const path = program(rig, 'helper', '#!/bin/sh\necho shown\n');
  const call = run.call('run', { command: path });
  const question = await review.find('question', isExec);
  program(rig, 'helper', '#!/bin/sh\necho swapped\n');
  review.answer(question.id, 'once');
  const answer = await run.answerTo(call);
  assert.equal(answer.result.isError, true);
  assert.match(answer.result.content[0].text, /differs from what was judged/u);
});

test('four held programs do not stop their siblings', async (t) => {
  const { rig, review, run } = await started(t);
  const marker = join(rig.home, 'sibling');
  const held = [1, 2, 3, 4].map((n) => program(rig, `held-${n}`, '#!/bin/sh\n'));
  const starter = program(
    rig,
    'starter',
    `#!/bin/sh\n${held.map((path) => `${path} &`).join('\n')}\necho on > ${marker}\nwait\n`,
  );
  const call = run.call('run', { command: starter });
  const first = await review.decide('once', isExec);
  await until(
    'four held',
    () => review.questions().filter((question) => isExec(question) && question.id !== first.id).length === 4,
  );
  await until('their sibling goes on', () => existsSync(marker));
  for (const question of review.questions().filter(isExec)) review.answer(question.id, 'once');
  assert.equal(Run.value(await run.answerTo(call)).code, 0);
});

test('names that are not there are answered like the kernel does, unasked', async (t) => {
  const { review, run } = await started(t);
  assert.deepEqual(Run.value(await run.answerTo(run.call('run', { command: 'no-such-program' }))), {
    error: 'ENOENT',
  });
  assert.deepEqual(Run.value(await run.answerTo(run.call('run', { command: '/etc' }))), { error: 'EACCES' });
  assert.equal(review.questions().filter(isExec).length, 0);
});

test('code on standard input and inline code are asked, each text for itself', async (t) => {
  const { review, run } = await started(t);
  const first = run.call('run', { command: '/bin/sh', args: ['-c', 'echo one'] });
  const question = await review.decide('session', isExec);
  assert.match(JSON.stringify(question.rows), /echo one/u);
  await run.answerTo(first);
  const second = run.call('run', { command: '/bin/sh', args: ['-c', 'echo two'] });
  await review.decide('deny', (other) => isExec(other) && other.id !== question.id);
  assert.equal((await run.answerTo(second)).result.isError, true);
  const third = run.call('run', { command: '/bin/sh', args: [] });
  await review.decide(
    'deny',
    (other) => isExec(other) && /no code|standard input|stdin/iu.test(JSON.stringify(other)),
  );
  await run.answerTo(third);
});

test('a program from memory is refused and shown, never asked', async (t) => {
  const { rig, review, run } = await started(t);
  const source =
    'import os\nfd = os.memfd_create("x", 0)\nos.write(fd, open("/bin/true","rb").read())\ntry:\n  os.execve(fd, ["true"], {})\nexcept OSError as e:\n  print(e.errno)\n';
  const path = program(rig, 'memory.py', source);
  const call = run.call('run', { command: '/usr/bin/python3', args: [path] });
  await review.decide('once', isExec);
  assert.equal(Run.value(await run.answerTo(call), 1).output, '13\n');
  assert.ok(recordsOf(rig, 'refusal').some(({ rule }) => rule === 'memory-only or deleted file'));
  assert.equal(review.questions().filter(isExec).length, 1);
});

test('a caller that dies while it is held takes its question with it', async (t) => {
  const { rig, review, run } = await started(t);
  const path = program(rig, 'helper', '#!/bin/sh\n');
  run.call('run', { command: path });
  const question = await review.find('question', isExec);
  process.kill(question.process.pid, 'SIGKILL');
  const withdrawn = await review.find('withdrawn', ({ id }) => id === question.id);
  assert.match(withdrawn.reason, /ended/u);
  review.answer(question.id, 'once');
  const late = await review.find('answered', ({ id }) => id === question.id);
  assert.equal(late.outcome, 'late');
});
