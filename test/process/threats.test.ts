/** What a family member may try against processes outside, the desk and its own end (THREATS 1, 3, 12, 13, 14, 16). */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Message, OwnPeer, recordsOf } from '../desk/harness.ts';
import { inCheckout, isAlive, type Key, launcher, Rig, Run, toolServer, until } from './rig.ts';
import { readStat } from '../../src/watch/proc.ts';

const python = '/usr/bin/python3';
const attack = (name: string): string => inCheckout('test', 'attacks', name);
const token = Buffer.alloc(32, 9).toString('base64url');
const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

function keyOf(pid: number): Key {
  const startTicks = readStat(pid)?.startTicks;
  assert.ok(startTicks !== undefined, `process ${pid} is gone`);
  return { pid, startTicks };
}

/** A process of this test's, outside every family. */
class Victim {
  output = '';
  private constructor(
    readonly child: ChildProcessWithoutNullStreams,
    readonly log: string,
  ) {}

  static async start(t: TestContext, rig: Rig, name: string): Promise<Victim> {
    const log = join(rig.home, `${name}.log`);
    // Through a shell for a real pipe on its descriptor 1: what Node makes is a socket, which nobody can open.
    const child = spawn('/bin/sh', ['-c', '"$@" | cat', 'sh', python, attack('victim.py'), log]);
    const victim = new Victim(child, log);
    child.stdout.on('data', (chunk: Buffer) => (victim.output += chunk.toString('utf8')));
    child.stderr.pipe(process.stderr);
    t.after(() => {
      child.stdin.end();
    });
    await until('the victim is ready', () => victim.output.includes('\n'));
    return victim;
  }

  get facts(): string {
    return this.output.split('\n')[0] ?? '';
  }

  get pid(): number {
    return JSON.parse(this.facts).pid;
  }

  get forged(): boolean {
    return this.output.includes('forged');
  }

  signals(): string[] {
    return [...new Set(read(this.log).split('\n'))].filter((line) => line !== '').toSorted();
  }

  /** After this everything that was sent to it before has been seen. */
  async settle(): Promise<void> {
    process.kill(this.pid, 'SIGURG');
    await until('the victim saw its last signal', () => this.signals().includes('SIGURG'));
  }
}

test(
  'a member reaches no process outside: signals, tracing, memory, descriptors, namespaces, rings',
  { timeout: 300_000 },
  async (t) => {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    // Without the treatment: a process like the attacker does all of it.
    const plain = await Victim.start(t, rig, 'plain');
    const plainOut = join(rig.home, 'plain.json');
    const alone = spawnSync(python, [attack('reach.py'), plainOut, plain.facts], {
      input: '',
      encoding: 'utf8',
    });
    assert.equal(alone.status, 0, alone.stderr);
    const without: Record<string, string> = JSON.parse(readFileSync(plainOut, 'utf8'));
    const possible = Object.entries(without).filter(([, outcome]) => outcome === 'done');
    const impossible = Object.entries(without).filter(([, outcome]) => outcome !== 'done');
    t.diagnostic(
      `without: ${possible.length} of ${Object.keys(without).length} succeed; not here: ${JSON.stringify(impossible)}`,
    );
    // User namespaces and rings may be closed on a machine; the rest is always possible between processes of one user.
    for (const [name] of impossible)
      assert.match(name, /^setns|^io_uring|^int 0x80/u, JSON.stringify(without));
    await plain.settle();
    assert.deepEqual(plain.signals(), ['SIGURG', 'SIGUSR1', 'SIGUSR2']);
    await until('the forged frame', () => plain.forged);

    // Under Kinwatch: nothing.
    const victim = await Victim.start(t, rig, 'held');
    const out = join(rig.home, 'held.json');
    const run = rig.run([
      '--name',
      'reach',
      '--',
      python,
      attack('reach.py'),
      out,
      victim.facts,
      join(rig.places.runtime, 'desk.pid'),
    ]);
    await review.decide('once');
    const results: Record<string, string> = JSON.parse(
      await until(`its results; ${run.stderr}`, () => read(out) || undefined),
    );
    await victim.settle();
    assert.deepEqual(victim.signals(), ['SIGURG'], 'only this test’s own signal came');
    assert.equal(victim.forged, false);
    assert.equal(run.received.length, 0, 'and nothing was forged into the client’s pipe');
    for (const who of ['victim', 'supervisor', 'shim', 'desk']) {
      const outcome = (what: string): string | undefined => results[`${who} ${what}`];
      for (const what of ['kill', 'pidfd_send_signal', 'ptrace', 'pidfd_getfd', 'process_vm_readv'])
        assert.equal(outcome(what), 'EPERM', `${who} ${what}`);
      for (const what of ['mem', 'environ', 'fd/1']) assert.equal(outcome(what), 'EACCES', `${who} ${what}`);
    }
    assert.equal(results['abstract socket'], 'EACCES');
    assert.equal(results['io_uring_setup'], 'ENOSYS');
    // Where the kernel has no 32-bit calls at all it ends the caller; the filter's own answer is in its unit test.
    assert.equal(results['int 0x80'], without['int 0x80'] === 'done' ? 'ENOSYS' : without['int 0x80']);
    if ('setns own' in results) {
      assert.equal(results['setns own'], 'EPERM', 'the filter refuses it whatever it is asked for');
      assert.equal(results['setns foreign'], 'EACCES', 'it cannot even be opened');
    }
    t.diagnostic(`under Kinwatch: 0 of ${Object.keys(results).length} succeed`);
    assert.ok(isAlive(keyOf(run.child.pid ?? 0)));
  },
);

test('kill(-1) is refused and shown, and reaches nobody', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const plain = spawnSync(python, [attack('everyone.py'), join(rig.home, 'plain'), 'alone'], {
    encoding: 'utf8',
  });
  if (plain.status === 77) t.diagnostic('no user namespaces here: not tried without Kinwatch');
  else {
    assert.equal(plain.status, 0, plain.stderr);
    assert.equal(read(join(rig.home, 'plain')), 'SIGURG\n');
  }
  const victim = await Victim.start(t, rig, 'victim');
  rig.run(['--name', 'everyone', '--', python, attack('everyone.py'), join(rig.home, 'sibling')]);
  await review.decide('once');
  await until('it was tried', () => existsSync(join(rig.home, 'sibling.done')));
  assert.equal(read(join(rig.home, 'sibling')), 'EPERM\n');
  const shown = await review.find('refusal', ({ rule }) => rule === 'process outside the family');
  assert.match(shown.text, /send a signal to every process of this user/u);
  process.kill(victim.pid, 'SIGUSR1');
  await until('the victim saw this test’s signal', () => victim.signals().length > 0);
  assert.deepEqual(victim.signals(), ['SIGUSR1']);
});

test(
  'supervisor and desk: closed to the user’s other processes, and no inspector opens',
  { timeout: 300_000 },
  async (t) => {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    const run = rig.runTools();
    const ready = run.ready();
    await review.decide('once');
    await ready;
    const supervisor = recordsOf(rig, 'session opened')[0]?.supervisor.pid ?? 0;
    const desk = rig.desk()?.pid ?? 0;
    // Seen first on an ordinary Node process of this user's.
    const ordinary = spawn(
      process.execPath,
      ['--inspect-port=0', '-e', 'console.log(1); setInterval(() => {}, 1000)'],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    t.after(() => ordinary.kill('SIGKILL'));
    let told = '';
    let up = false;
    ordinary.stdout.on('data', () => (up = true));
    ordinary.stderr.on('data', (chunk: Buffer) => (told += chunk.toString('utf8')));
    await until('it runs', () => up);
    assert.ok(readFileSync(`/proc/${ordinary.pid}/environ`).length > 0);
    const threads = (pid: number): number => readdirSync(`/proc/${pid}/task`).length;
    ordinary.kill('SIGUSR1');
    await until('its inspector', () => /Debugger listening/u.test(told));

    const before = [threads(supervisor), threads(desk)];
    for (const pid of [supervisor, desk]) {
      for (const file of ['environ', 'mem', 'maps', 'fd/1']) {
        assert.throws(() => readFileSync(`/proc/${pid}/${file}`), { code: 'EACCES' }, `${pid} ${file}`);
      }
      process.kill(pid, 'SIGUSR1');
    }
    // Both answer after the signal, so it has been taken.
    assert.equal(Run.value(await run.answerTo(run.call('echo', { value: 'on' }))), 'on');
    assert.equal(rig.command('ps', '--json').status, 0);
    assert.doesNotMatch(run.stderr, /Debugger/u);
    assert.deepEqual(
      [threads(supervisor), threads(desk)],
      before,
      'an inspector would have a thread of its own',
    );
  },
);

test(
  'the client’s environment steers neither supervisor nor desk, and an override is shown',
  { timeout: 300_000 },
  async (t) => {
    const rig = Rig.make(t);
    const fakes = join(rig.home, 'fakes');
    const traces = join(rig.home, 'traces');
    mkdirSync(fakes);
    mkdirSync(traces);
    const required = join(rig.home, 'required');
    writeFileSync(
      join(rig.home, 'required.js'),
      `require('fs').appendFileSync(${JSON.stringify(required)}, process.argv[1] + '\\n')`,
    );
    for (const name of ['node', 'env', 'setsid', 'sh', 'kinwatch']) {
      const path = join(fakes, name);
      writeFileSync(path, `#!/bin/sh\necho ${name} >>${join(rig.home, 'fake')}\nexit 1\n`);
      chmodSync(path, 0o755);
    }
    // No desk yet: it is started on this run's demand, from the shim that has this environment.
    const named = ['NODE_OPTIONS', 'LD_DEBUG', 'LD_DEBUG_OUTPUT'].flatMap((name) => ['--env', name]);
    const run = rig.run(['--name', 'tools', ...named, '--', process.execPath, toolServer], {
      PATH: fakes,
      NODE_OPTIONS: `--require=${join(rig.home, 'required.js')}`,
      // The dynamic linker writes one file for each process that has these: what it ran is in it.
      LD_DEBUG: 'files',
      LD_DEBUG_OUTPUT: join(traces, 'trace'),
      KINWATCH_WATCHER: 'seccomp',
      ELECTRON_RUN_AS_NODE: '1',
    });
    const ready = run.ready();
    await until('a desk', () => rig.desk() !== undefined);
    const review = await rig.reviewer();
    const asked = (): Message =>
      [
        ...review.seen.flatMap((message) => (message.kind === 'snapshot' ? message.questions : [])),
        ...review.questions(),
      ][0];
    const question = await until('question', asked);
    const rows = JSON.stringify(question.rows);
    assert.ok(rows.includes(`KINWATCH_HOME=${rig.home}`), rows);
    assert.ok(rows.includes('KINWATCH_WATCHER=seccomp'), rows);
    review.answer(question.id, 'once');
    await ready;
    const supervisor = recordsOf(rig, 'session opened')[0]?.supervisor.pid ?? 0;
    const server = recordsOf(rig, 'birth')[0]?.pid ?? 0;
    const ran = (pid: number): string[] =>
      readdirSync(traces)
        .filter((name) => name.endsWith(`.${pid}`))
        .flatMap((name) =>
          [...read(join(traces, name)).matchAll(/transferring control: (\S+)/gu)].map(
            ([, program]) => program ?? '',
          ),
        );
    assert.ok(
      ran(server).includes(process.execPath),
      'the server is the user’s own program: it has what the configuration names',
    );
    assert.deepEqual(
      ran(supervisor).filter((program) => /node/u.test(program)),
      [],
      'the supervisor has none of them',
    );
    assert.deepEqual(ran(rig.desk()?.pid ?? 0), [], 'nor has the desk');
    assert.deepEqual(read(required).split('\n').filter(Boolean), [toolServer]);
    assert.equal(read(join(rig.home, 'fake')), '', 'nothing was looked up in the client’s PATH');
  },
);

/** A reviewer's hello on a connection of this test's own, and what came back. */
async function hello(t: TestContext, rig: Rig, bytes: Buffer): Promise<Message> {
  const peer = new OwnPeer(t, rig.places.socket);
  peer.send({ kind: 'hello', role: 'reviewer', protocol: 1, token: bytes.toString('base64url') });
  return until('an answer', () => peer.seen[0]);
}

async function restartDesk(rig: Rig, change: () => void): Promise<void> {
  const desk = rig.desk();
  assert.ok(desk);
  process.kill(desk.pid, 'SIGKILL');
  await until('the desk has ended', () => !isAlive(desk));
  change();
  assert.equal(spawnSync(launcher, ['desk'], { env: rig.environment }).status, 0);
  await until('another desk', () => rig.desk()?.pid !== desk.pid && existsSync(rig.places.socket));
}

test('enrolment only where there is neither hash nor record', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  await rig.reviewer();
  const hash = join(rig.places.state, 'reviewer');
  assert.match(read(hash), /^sha256:[0-9a-f]{64}\n$/u);
  const other = Buffer.alloc(32, 1);
  const known = Buffer.alloc(32, 9);
  assert.match((await hello(t, rig, other)).reason, /another reviewer is enrolled here/u);
  await restartDesk(rig, () => rmSync(hash));
  for (const bytes of [other, known]) {
    assert.match(
      (await hello(t, rig, bytes)).reason,
      /a reviewer was enrolled here and its token hash is gone; remove \S+ by hand/u,
    );
  }
  assert.equal(existsSync(hash), false);
  await restartDesk(rig, () => writeFileSync(hash, 'nothing'));
  assert.match((await hello(t, rig, other)).reason, /another reviewer is enrolled here/u);
  assert.ok(recordsOf(rig, 'refusal').length >= 4, 'refusals are records');
});

test(
  'who may speak to the desk: no member, no child of the client; the client itself',
  { timeout: 300_000 },
  async (t) => {
    const rig = Rig.make(t);
    const plain = async (name: string): Promise<Message> => {
      const out = join(rig.home, name);
      const { status, stderr } = spawnSync(python, [attack('speak.py'), rig.places.socket, token, out], {
        input: '',
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
      return JSON.parse(read(out)).answers;
    };
    const review = await rig.reviewer();
    // Before this test is anybody's client, its child is as good as it.
    const early = await plain('early');
    assert.deepEqual(
      [early.reviewer.kind, early.operator.kind, early.supervisor.kind],
      ['welcome', 'welcome', 'welcome'],
    );

    const out = join(rig.home, 'member');
    rig.run(['--name', 'member', '--', python, attack('speak.py'), rig.places.socket, token, out]);
    await review.decide('once');
    const member = JSON.parse(await until('its answers', () => read(out) || undefined));
    // It does not get as far as the desk's own rule for members of families.
    for (const role of ['reviewer', 'operator', 'supervisor'])
      assert.deepEqual(member.answers[role], { kind: 'closed', reason: 'EACCES' }, role);
    const shown = (): Message[] =>
      review.seen.filter(
        (message) =>
          message.kind === 'refusal' &&
          message.rule === 'control socket of Kinwatch' &&
          message.pid === member.pid,
      );
    await until('each is shown', () => shown().length === 3);

    const late = await plain('late');
    assert.equal(late.reviewer.kind, 'refused');
    assert.match(late.reviewer.reason, /an MCP client that is supervised/u);
    assert.equal(late.operator.kind, 'welcome');
    await review.find('refusal', ({ rule }) => rule === 'peer descends from a client');
    // The client itself may, with the token it has.
    assert.equal((await hello(t, rig, Buffer.from(token, 'base64url'))).enrolled, 'known');
  },
);

test(
  'a helper that left its parent, its session and its environment is a member still, and ends with it',
  { timeout: 300_000 },
  async (t) => {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    const out = join(rig.home, 'helper');
    const run = rig.run([
      '--name',
      'helper',
      '--',
      python,
      attack('speak.py'),
      rig.places.socket,
      token,
      out,
      'leave',
    ]);
    const { session } = await review.decide('once');
    const said = JSON.parse(await until('its answers', () => read(out) || undefined));
    for (const role of ['reviewer', 'operator', 'supervisor'])
      assert.equal(said.answers[role].reason, 'EACCES');
    const opened = recordsOf(rig, 'session opened')[0];
    assert.equal(said.ppid, opened?.supervisor.pid, 'adopted by the supervisor');
    const helper = keyOf(said.pid);
    await until('it became another program', () =>
      recordsOf(rig, 'confirmed').some(({ pid, argv }) => pid === said.pid && argv[0] === 'sleep'),
    );
    assert.equal(readFileSync(`/proc/${said.pid}/environ`).length, 0);
    const { status, stdout, stderr } = rig.command('contain', session, '--json');
    assert.equal(status, 0, stderr);
    const certificate = JSON.parse(stdout);
    assert.deepEqual([certificate.survivors, certificate.proved], [0, true]);
    assert.ok(certificate.signalled.some(({ pid }: { pid: number }) => pid === said.pid));
    assert.equal(isAlive(helper), false);
    await run.ended();
  },
);
