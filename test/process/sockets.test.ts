/** Connections of real programs: held, asked, performed on their behalf, refused. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Message, recordsOf } from '../desk/harness.ts';
import { inCheckout, isExec, Rig, Run, type Started, started, toolServer, until } from './rig.ts';

const python = '/usr/bin/python3';
const program = inCheckout('test', 'fixtures', 'sockets.py');

export function isConnection({ transition }: Message): boolean {
  return transition === 'local to network' || transition === 'work handed outside';
}

/** A server on this machine and outside the family: says its name to whoever connects. */
async function outside(
  t: TestContext,
  where: { port: number; host: string } | { path: string },
): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('outside');
  });
  server.listen(where);
  await once(server, 'listening');
  t.after(() => server.close());
  return server;
}

function portOf(server: Server): string {
  return String((server.address() as AddressInfo).port);
}

/** Runs the program through the tool; the start of python is allowed, its connections are not answered here. */
async function call({ run, review }: Started, ...args: string[]): Promise<{ answer: Promise<Message> }> {
  const id = run.call('run', { command: python, args: [program, ...args] });
  await review.decide('once', isExec);
  return { answer: run.answerTo(id) };
}

function valueOf(answer: Message, index = 0): { value?: unknown; errno?: number } {
  const { output } = Run.value(answer, index) as { output: string };
  return JSON.parse(output) as { value?: unknown };
}

test('a connection waits before it is made; allowed, it is made on the same socket', async (t) => {
  const all = await started(t);
  const server = await outside(t, { host: '127.0.0.1', port: 0 });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const { answer } = await call(all, 'connect', '127.0.0.1', portOf(server));
  const question = await all.review.find('question', isConnection);
  assert.match(question.headline, new RegExp(`127\\.0\\.0\\.1 port ${portOf(server)}`, 'u'));
  assert.equal(question.request.tool, 'run');
  assert.equal(connections, 0);
  all.review.answer(question.id, 'once');
  assert.deepEqual(valueOf(await answer), { value: 'outside' });
  const steps = recordsOf(all.rig, 'connection').map(({ step }) => step);
  assert.deepEqual(steps, ['released', 'done']);
});

test('denied, the program gets EACCES, the agent an error that names the destination, and nobody is reached', async (t) => {
  const all = await started(t);
  const server = await outside(t, { host: '127.0.0.1', port: 0 });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const { answer } = await call(all, 'connect', '127.0.0.1', portOf(server));
  await all.review.decide('deny', isConnection);
  const result = await answer;
  assert.equal(result.result.isError, true);
  assert.match(result.result.content[0].text, /Kinwatch denied .*127\.0\.0\.1 port/u);
  assert.equal(valueOf(result, 1).errno, 13);
  assert.equal(connections, 0);
});

test('allowed for the session, the same program reaches the same place unasked, another place is asked', async (t) => {
  const all = await started(t);
  const first = await outside(t, { host: '127.0.0.1', port: 0 });
  const second = await outside(t, { host: '127.0.0.1', port: 0 });
  const one = await call(all, 'connect', '127.0.0.1', portOf(first));
  await all.review.decide('session', isConnection);
  assert.deepEqual(valueOf(await one.answer), { value: 'outside' });
  const two = await call(all, 'connect', '127.0.0.1', portOf(first));
  assert.deepEqual(valueOf(await two.answer), { value: 'outside' });
  assert.equal(all.review.questions().filter(isConnection).length, 1);
  const three = await call(all, 'connect', '127.0.0.1', portOf(second));
  await all.review.decide('deny', isConnection);
  assert.equal(valueOf(await three.answer, 1).errno, 13);
});

test('a host that the arguments name and that resolves to the address is shown by its name', async (t) => {
  const all = await started(t);
  const server = await outside(t, { host: '127.0.0.1', port: 0 });
  const { answer } = await call(all, 'connect', 'localhost', portOf(server), '5');
  const question = await all.review.decide('once', isConnection);
  assert.match(question.headline, /localhost port/u);
  await answer;
});

test('the family’s own listener is asked, and what it connects to itself is not', async (t) => {
  const all = await started(t);
  const { answer } = await call(all, 'itself');
  const question = await all.review.decide('once', isConnection);
  assert.match(question.headline, /accept connections/u);
  assert.deepEqual(valueOf(await answer), { value: 'own' });
  assert.equal(all.review.questions().filter(isConnection).length, 1);
  const own = recordsOf(all.rig, 'connection').find(({ because }) => because === 'own family');
  assert.ok(own, 'it is recorded all the same');
});

test('nobody listens: the call fails as it would, and nobody is asked', async (t) => {
  const all = await started(t);
  const { answer } = await call(all, 'connect', '127.0.0.1', '9');
  assert.equal(valueOf(await answer).errno, 111);
  assert.equal(all.review.questions().filter(isConnection).length, 0);
});

for (const way of ['sendto', 'sendmsg', 'udp']) {
  test(`a datagram sent with ${way} waits, arrives whole when allowed, and not at all when denied`, async (t) => {
    const all = await started(t);
    const receiver = createSocket('udp4');
    const received: string[] = [];
    receiver.on('message', (message) => received.push(message.toString()));
    receiver.bind(0, '127.0.0.1');
    await once(receiver, 'listening');
    t.after(() => receiver.close());
    const port = String(receiver.address().port);
    const one = await call(all, way, '127.0.0.1', port, 'first');
    await all.review.decide('once', isConnection);
    assert.deepEqual(valueOf(await one.answer), { value: 'sent' });
    await until('it arrives', () => received.includes('first'));
    const two = await call(all, way, '127.0.0.1', port, 'second');
    await all.review.decide('deny', isConnection);
    assert.equal(valueOf(await two.answer, 1).errno, 13);
    assert.deepEqual(received, ['first']);
  });
}

test('a unix socket is asked with its path; Kinwatch’s own and an editor’s are refused', async (t) => {
  const all = await started(t);
  const path = join(all.rig.home, 'some.sock');
  await outside(t, { path });
  const plain = await call(all, 'unix', path);
  const question = await all.review.decide('once', isConnection);
  assert.equal(question.transition, 'work handed outside');
  assert.match(JSON.stringify(question.rows), /some\.sock/u);
  assert.deepEqual(valueOf(await plain.answer), { value: 'outside' });

  const desk = await call(all, 'unix', all.rig.places.socket);
  assert.equal(valueOf(await desk.answer, 1).errno, 13);
  const editor = join(all.rig.home, 'vscode-ipc-1.sock');
  await outside(t, { path: editor });
  const direct = await call(all, 'unix', editor);
  assert.equal(valueOf(await direct.answer, 1).errno, 13);
  const rules = new Set(recordsOf(all.rig, 'refusal').map(({ rule }) => rule));
  assert.ok(rules.has('control socket of Kinwatch'));
  assert.ok(rules.has('control socket of an editor'));
  assert.equal(all.review.questions().filter(isConnection).length, 1);
});

test('kinds of sockets whose addresses would go unseen are refused and shown', async (t) => {
  const all = await started(t);
  for (const args of [
    ['38', '5', '0'],
    ['2', '1', '132'],
    ['40', '1', '0'],
  ]) {
    const { answer } = await call(all, 'kind', ...args);
    assert.ok([93, 97].includes(valueOf(await answer, 1).errno ?? 0), args.join(' '));
  }
  const { answer } = await call(all, 'fastopen', '127.0.0.1', '9');
  assert.equal(valueOf(await answer, 1).errno, 95);
  const rules = recordsOf(all.rig, 'refusal').map(({ rule }) => rule);
  assert.equal(rules.filter((rule) => rule === 'kind of socket').length, 3);
  assert.equal(rules.filter((rule) => rule === 'TCP fast open').length, 1);
});

for (const way of ['rename', 'link'] as const) {
  test(`an editor’s control socket under another name is told by what it was bound as: ${way}`, async (t) => {
    const all = await started(t);
    const editor = join(all.rig.home, 'vscode-ipc-2.sock');
    let said = '';
    const server = await outside(t, { path: editor });
    server.on('connection', (socket) => socket.on('data', (chunk: Buffer) => (said += chunk.toString())));
    const harmless = join(all.rig.home, 'harmless.sock');
    if (way === 'rename') renameSync(editor, harmless);
    else linkSync(editor, harmless);
    const { answer } = await call(all, 'unix', harmless);
    // By its path it is nothing special, so it is asked; what stands behind it shows when it is reached.
    await all.review.decide('once', isConnection);
    assert.equal(valueOf(await answer, 1).errno, 13);
    const refusal = recordsOf(all.rig, 'refusal').find(({ rule }) => rule === 'control socket of an editor');
    assert.match(refusal?.text ?? '', /harmless\.sock, bound as .*vscode-ipc-2\.sock/u);
    assert.equal(said, '');
  });
}

test('a family that is kept off the network gets no internet socket, and its card says so', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  mkdirSync(rig.places.config, { recursive: true, mode: 0o700 });
  const servers = { local: { command: process.execPath, args: [toolServer], network: 'none' } };
  writeFileSync(rig.places.serversFile, JSON.stringify({ servers }));
  const run = rig.run(['local']);
  const ready = run.ready();
  const start = await review.decide('once');
  await ready;
  const row = start.rows.find(({ label }: { label: string }) => label === 'Network');
  assert.match(row.value, /^None/u);
  const all = { rig, review, run, session: start.session };
  for (const args of [
    ['connect', '127.0.0.1', '9'],
    ['sendto', '127.0.0.1', '9', 'x'],
    ['listen', '127.0.0.1', '0'],
  ]) {
    const { answer } = await call(all, ...args);
    assert.equal(valueOf(await answer, 1).errno, 13, args.join(' '));
  }
  const path = join(rig.home, 'some.sock');
  await outside(t, { path });
  const { answer } = await call(all, 'unix', path);
  await review.decide('once', isConnection);
  assert.deepEqual(valueOf(await answer), { value: 'outside' });
  assert.equal(recordsOf(rig, 'refusal').filter(({ rule }) => rule === 'local only').length, 3);
  assert.match(JSON.stringify(review.seen), /execs and connections held, no network/u);
});

test('a connect that waits for an answer holds nobody else up, and ends with its family', async (t) => {
  const all = await started(t);
  // A listener that takes nobody: its queue is full after the first.
  const silent = spawn(python, [
    '-c',
    'import socket,sys; s=socket.socket(); s.bind(("127.0.0.1",0)); s.listen(0); print(s.getsockname()[1],flush=True); sys.stdin.read()',
  ]);
  t.after(() => silent.kill('SIGKILL'));
  const port = await new Promise<string>((resolve) => {
    silent.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  const { answer } = await call(all, 'silent', '127.0.0.1', port);
  answer.catch(() => undefined); // it gets none
  await all.review.decide('session', isConnection);
  const released = (): number =>
    recordsOf(all.rig, 'connection').filter(({ step }) => step === 'released').length;
  await until('the last one is being made', () => released() === 5);
  const open = await outside(t, { host: '127.0.0.1', port: 0 });
  const other = await call(all, 'connect', '127.0.0.1', portOf(open));
  await all.review.decide(
    'once',
    (question) => isConnection(question) && question.headline.includes(portOf(open)),
  );
  assert.deepEqual(valueOf(await other.answer), { value: 'outside' });
  const { status, stdout, stderr } = all.rig.command('contain', all.session, '--json');
  assert.equal(status, 0, stderr);
  const certificate = JSON.parse(stdout);
  assert.deepEqual([certificate.survivors, certificate.proved], [0, true]);
  await all.run.ended();
});

test('a listener of the family’s own on the same port of another network lends no way to one outside', async (t) => {
  const all = await started(t);
  const server = await outside(t, { host: '127.0.0.1', port: 0 });
  let reached = 0;
  server.on('connection', () => (reached += 1));
  const { answer } = await call(all, 'moved', portOf(server));
  const isListener = ({ headline }: Message): boolean => /accept connections/u.test(headline);
  const first = await all.review.decide('once', (question) => isConnection(question) && isListener(question));
  assert.match(first.headline, new RegExp(portOf(server), 'u'));
  await all.review.decide('deny', (question) => isConnection(question) && !isListener(question));
  assert.equal(valueOf(await answer, 1).errno, 13);
  assert.equal(reached, 0);
});

test('a socket of the family’s own at the same path of another mount namespace lends no way to one outside', async (t) => {
  const all = await started(t);
  const folder = join(all.rig.home, 'shared');
  mkdirSync(folder);
  const path = join(folder, 's');
  // Bound by a relative name, so that the table of sockets has only the member's own under the whole path.
  const server = spawn(
    python,
    [
      '-c',
      'import os,socket,sys; os.chdir(sys.argv[1]); s=socket.socket(socket.AF_UNIX); s.bind("s"); s.listen(1); print("up",flush=True); c,_=s.accept(); print(repr(c.recv(1)),flush=True); c.sendall(b"outside"); sys.stdin.read()',
      folder,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  t.after(() => server.kill('SIGKILL'));
  await new Promise((resolve) => server.stdout.once('data', resolve));
  assert.ok(existsSync(path));
  const { answer } = await call(all, 'hidden', folder, 's');
  // Asked or refused: never made as the family's own.
  const denied = all.review.decide('deny', isConnection).catch(() => undefined);
  const result = await answer;
  void denied;
  assert.equal(result.result.content.length, 2, JSON.stringify(result));
  assert.equal(valueOf(result, 1).errno, 13);
  assert.ok(!recordsOf(all.rig, 'connection').some(({ step }) => step === 'done'));
});
