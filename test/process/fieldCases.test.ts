/** What was reported of other launchers, by real servers behind `kinwatch run`. Nothing is alive afterwards. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Message, recordsOf } from '../desk/harness.ts';
import { isAlive, isExec, type Reviewer, Rig, Run, started, toolServer, until } from './rig.ts';

const slow = { timeout: 300_000 };

/** A server in few lines: `tool(id)` is called for tools/call, `closed()` once stdin has ended. */
function serverText(parts: { first?: string; tool?: string; closed?: string }): string {
  return `
    const { appendFileSync, closeSync, writeFileSync, writeSync } = require('node:fs');
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const answer = (id, result) => say({ id, result });
    const tool = (id) => { ${parts.tool ?? 'answer(id, { content: [] })'} };
    const closed = () => { ${parts.closed ?? 'process.exit()'} };
    ${parts.first ?? ''}
    require('node:readline').createInterface({ input: process.stdin }).on('close', closed).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') {
        answer(id, { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'odd', version: '1' } });
      } else if (method === 'tools/call') tool(id);
    });`;
}

interface Odd {
  readonly rig: Rig;
  readonly review: Reviewer;
  readonly run: Run;
}

async function startedAs(t: TestContext, command: (rig: Rig) => readonly string[]): Promise<Odd> {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const run = rig.run(['--name', 'odd', '--', ...command(rig)]);
  const ready = run.ready();
  await review.decide('once');
  await ready;
  return { rig, review, run };
}

function odd(t: TestContext, parts: (rig: Rig) => Parameters<typeof serverText>[0]): Promise<Odd> {
  return startedAs(t, (rig) => {
    const file = join(rig.home, 'server.cjs');
    writeFileSync(file, serverText(parts(rig)));
    return [process.execPath, file];
  });
}

/** The run is over, its family ended and the kernel's own word says so. */
async function allEnded({ rig, review, run }: Odd): Promise<Message> {
  await run.ended();
  assert.ok(rig.members().length > 0);
  assert.deepEqual(rig.members().filter(isAlive), []);
  const { certificate } = await review.find('certificate');
  assert.equal(certificate.survivors, 0);
  assert.equal(certificate.proved, true);
  return certificate;
}

function signalsOf(certificate: Message): string[] {
  return certificate.signalled.flatMap((one: Message) => one.signals.map(({ signal }: Message) => signal));
}

const launchers: readonly [string, (rig: Rig) => readonly string[]][] = [
  [
    'field case 1: a launcher that waits for its server',
    // A background job's stdin would be /dev/null.
    () => ['/bin/sh', '-c', 'exec 3<&0; "$0" "$1" <&3 & wait', process.execPath, toolServer],
  ],
  [
    'field case 3: a helper in a session of its own whose parent has gone',
    () => [
      '/bin/sh',
      '-c',
      '/bin/sh -c "setsid sleep 300 & exit 0"; exec "$0" "$1"',
      process.execPath,
      toolServer,
    ],
  ],
];
for (const [what, command] of launchers) {
  for (const way of ['stdin closed', 'SIGTERM', 'SIGKILL'] as const) {
    test(`${what}: ${way}`, slow, async (t) => {
      const all = await startedAs(t, command);
      const { rig, run } = all;
      assert.equal(Run.value(await run.answerTo(run.call('echo', { value: 'here' }))), 'here');
      const living = rig.members().filter(isAlive);
      assert.ok(living.length >= 2, 'more than the server');
      if (way === 'stdin closed') run.child.stdin.end();
      else run.child.kill(way);
      await all.review.find('certificate');
      await allEnded(all);
    });
  }
}

test(
  'field case 6: a server that needs a while once its stdin is closed gets it, and no TERM',
  slow,
  async (t) => {
    const all = await odd(t, ({ home }) => ({
      first: `process.on('SIGTERM', () => appendFileSync('${home}/signals', 'TERM'));`,
      closed: `setTimeout(() => { writeFileSync('${home}/saved', ''); process.exit(); }, 1500);`,
    }));
    all.run.child.stdin.end();
    const certificate = await allEnded(all);
    assert.ok(existsSync(join(all.rig.home, 'saved')));
    assert.equal(existsSync(join(all.rig.home, 'signals')), false);
    assert.deepEqual(certificate.signalled, []);
    assert.deepEqual(all.run.exit, { code: 0, signal: null });
  },
);

const deaf = [
  '/bin/sh',
  '-c',
  'trap "" TERM INT HUP; "$0" "$1"; while :; do sleep 1; done',
  process.execPath,
];

test(
  'field case 7: a wrapper deaf to its stdin and to TERM: the end is bounded, who waits is answered',
  slow,
  async (t) => {
    const all = await startedAs(t, () => [...deaf, toolServer]);
    const { run } = all;
    const waiting = run.call('wait', { ms: 1_000_000 });
    const from = performance.now();
    run.child.kill('SIGTERM');
    const answer = await run.answerTo(waiting);
    const certificate = await allEnded(all);
    const tookMs = performance.now() - from;
    assert.ok(tookMs > 6_900 && tookMs < 20_000, `5 s for stdin, 2 s for TERM, then KILL: ${tookMs}`);
    assert.match(answer.error.message, /The server ended/u);
    assert.ok(signalsOf(certificate).includes('SIGKILL'));
  },
);

test('field case 7: a second stop forces at once', slow, async (t) => {
  const all = await startedAs(t, () => [...deaf, toolServer]);
  const from = performance.now();
  all.run.child.stdin.end();
  // Not together with the first: two of one kind that are pending are one.
  const again = setInterval(() => all.run.child.kill('SIGTERM'), 200);
  const certificate = await allEnded(all).finally(() => clearInterval(again));
  const tookMs = performance.now() - from;
  assert.ok(tookMs < 4_000, String(tookMs));
  assert.ok(signalsOf(certificate).includes('SIGKILL'));
});

const floods: readonly [string, string][] = [
  ['300 kB', `for (let i = 0; i < 3000; i += 1) writeSync(2, 'x'.repeat(99) + '\\n');`],
  ['50 MB', `for (let i = 0; i < 500; i += 1) writeSync(2, ('x'.repeat(99) + '\\n').repeat(1000));`],
  ['50 MB without a newline', `for (let i = 0; i < 500; i += 1) writeSync(2, 'x'.repeat(100_000));`],
];
for (const [size, write] of floods) {
  for (const reads of [true, false]) {
    test(
      `field case 18: ${size} on stderr, and the client ${reads ? 'reads' : 'never reads'} it`,
      slow,
      async (t) => {
        const all = await odd(t, () => ({
          tool: `${write} writeSync(2, 'last words'); answer(id, { content: [] });`,
          closed: 'process.exit(4)',
        }));
        const { run } = all;
        if (!reads) run.child.stderr.pause();
        assert.deepEqual((await run.answerTo(run.call('flood'))).result, { content: [] });
        // Its end is kept, and no more than its end.
        const server = recordsOf(all.rig, 'birth')[0];
        assert.ok(server);
        const unanswered = run.ask('never/answered');
        process.kill(server.pid, 'SIGKILL');
        const { message } = (await run.answerTo(unanswered)).error;
        assert.match(message, /last words$/u);
        assert.ok(message.length < 10_000, String(message.length));
        run.child.stderr.resume();
        await allEnded(all);
      },
    );
  }
}

test(
  'field case 12: a banner and colours between frames stay out of the stream and are told',
  slow,
  async (t) => {
    const all = await odd(t, () => ({
      first: `process.stdout.write('Server v1.2 started\\n');`,
      tool: `process.stdout.write('\\x1b[32minfo\\x1b[0m\\n'); answer(id, { content: [] });`,
    }));
    // What is not JSON would have thrown in the client.
    assert.deepEqual((await all.run.answerTo(all.run.call('any'))).result, { content: [] });
    all.run.child.stdin.end();
    await allEnded(all);
    assert.match(all.run.stderr, /Server v1\.2 started/u);
    assert.equal(all.run.stderr.includes('\x1b'), false);
  },
);

test(
  'field case 29: a server that exits while it is asked: answered in a second, with status and last words',
  slow,
  async (t) => {
    const all = await odd(t, () => ({ tool: `writeSync(2, 'out of memory\\n'); process.exit(3);` }));
    const from = performance.now();
    const { message } = (await all.run.answerTo(all.run.call('any'))).error;
    const tookMs = performance.now() - from;
    assert.match(message, /exit 3[^]*out of memory/u);
    assert.ok(tookMs < 1000, String(tookMs));
    await allEnded(all);
    assert.equal(all.run.exit?.code, 3);
  },
);

test(
  'field case 29: a server that closed its stdin and lives: later requests are answered',
  slow,
  async (t) => {
    const all = await odd(t, () => ({
      tool: `answer(id, { content: [] }); process.stdin.destroy(); closeSync(0); setInterval(() => {}, 1000);`,
      closed: '',
    }));
    const { run } = all;
    await run.answerTo(run.call('any'));
    // The first is what finds out.
    const lost = run.ask('tools/list');
    await until('it is told', () => /the server closed its input/u.test(run.stderr));
    for (const id of [1, 2, 3].map(() => run.ask('tools/list'))) assert.ok((await run.answerTo(id)).error);
    assert.equal(run.exit, undefined);
    run.child.kill('SIGTERM');
    assert.ok((await run.answerTo(lost)).error);
    await allEnded(all);
  },
);

test(
  'field case 33: arguments reach the server as they were written, and stand on the card so',
  slow,
  async (t) => {
    const given = ['~/x', '~', '~bob/x', '/tmp/~x', '--dir=~/x', '$HOME', 'a b', ''];
    const all = await startedAs(t, ({ home }) => {
      const file = join(home, 'server.cjs');
      const first = `writeFileSync('${home}/argv', JSON.stringify(process.argv.slice(2)));`;
      writeFileSync(file, serverText({ first }));
      return [process.execPath, file, ...given];
    });
    assert.deepEqual(JSON.parse(readFileSync(join(all.rig.home, 'argv'), 'utf8')), given);
    const card = JSON.stringify(all.review.questions()[0]);
    for (const argument of given.slice(0, -1)) assert.ok(card.includes(argument), argument);
    all.run.child.stdin.end();
    await allEnded(all);
  },
);

test(
  'field case 68: a member whose first thread has ended is no zombie: it is contained',
  slow,
  async (t) => {
    const { rig, review, run, session } = await started(t);
    const script = `
import ctypes, os, threading
def work():
    while open(f'/proc/{os.getpid()}/stat').read().rpartition(')')[2].split()[0] != 'Z': pass
    open('headless', 'w').write(str(os.getpid()))
    while True: threading.Event().wait(1000)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)`;
    run.call('background', { command: '/usr/bin/python3', args: ['-c', script] });
    await review.decide('once', isExec);
    const file = join(rig.home, 'headless');
    const pid = Number(await until('it is there', () => existsSync(file) && readFileSync(file, 'utf8')));
    const member = rig.members().find((one) => one.pid === pid);
    assert.ok(member && isAlive(member));
    review.peer.send({ kind: 'contain', session });
    const certificate = await allEnded({ rig, review, run });
    assert.ok(certificate.signalled.some((one: Message) => one.pid === pid));
  },
);
