/** Field cases of kind 5 (process tree), by number: who is signalled, who is not, and when an end is over. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { endRecorded, killAll, scanGaps } from '../../src/contain/end.ts';
import { Family, type Recorded } from '../../src/contain/family.ts';
import { stopOne } from '../../src/contain/stopOne.ts';
import { isAlive } from '../../src/desk/processes.ts';
import { listPids, readStat } from '../../src/watch/proc.ts';

interface Program extends Recorded {
  /** Its first line. */
  readonly said: string;
}

function keyOf(pid: number): Recorded {
  const startTicks = readStat(pid)?.startTicks;
  assert.ok(startTicks !== undefined, `process ${pid} lives`);
  return { pid, startTicks };
}

/** Runs until the test ends; speaks its first line once it is ready. */
async function python(t: TestContext, text: string): Promise<Program> {
  const child = spawn('python3', ['-c', `import ctypes, os, signal, sys, threading\n${text}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { ...keyOf(child.pid ?? 0), said: said.toString().trim() };
}

const sleeper = `print('ready', flush=True)\nsys.stdin.read()`;
const deaf = `signal.signal(signal.SIGTERM, signal.SIG_IGN)\n${sleeper}`;
/** Its first thread ends, the other one works on. */
const headless = `
def work():
    while open(f'/proc/{os.getpid()}/stat').read().rpartition(')')[2].split()[0] != 'Z': pass
    print('ready', flush=True)
    os.read(0, 1)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)`;
/** Leaves a child that has ended and is not collected; says its pid. */
const zombieParent = `
pid = os.fork()
if pid == 0: os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print(pid, flush=True)
sys.stdin.read()`;

test('field case 60: another start time is another process, whatever its pid', async (t) => {
  const stranger = await python(t, sleeper);
  const record = { pid: stranger.pid, startTicks: stranger.startTicks - 299 };
  const { signalled, survivors } = await endRecorded([record]);
  assert.deepEqual([signalled, survivors], [[], 0]);
  assert.equal(await stopOne(record), 'it had ended already');
  assert.ok(isAlive(stranger));
  const own = await endRecorded([stranger]);
  assert.deepEqual(
    [own.survivors, own.signalled.map(({ pid }) => pid), isAlive(stranger)],
    [0, [stranger.pid], false],
    'the same process by its own start time',
  );
});

test('field case 60: a pid that comes round between TERM and KILL', (t) => {
  const fixture = resolve('out/test/fixtures/reusedPid.mjs');
  const inside = ['-Urpf', '--mount-proc', process.execPath, fixture];
  if (spawnSync('unshare', ['-Urpf', '--mount-proc', 'true']).status !== 0) {
    t.skip('this machine gives no pid namespace to an ordinary user');
    return;
  }
  const { stdout, stderr } = spawnSync('unshare', inside, { encoding: 'utf8', timeout: 60_000 });
  assert.ok(stdout !== '', stderr);
  assert.deepEqual(JSON.parse(stdout), {
    family: { reused: true, signals: ['SIGTERM'], livingMembers: 0, strangerAlive: true },
    stopOne: { reused: true, outcome: 'ended by SIGTERM', strangerAlive: true },
  });
});

test('field case 66: a certificate names a process by its arguments, its title, or its name', async (t) => {
  const titled = await python(
    t,
    `size = len(open('/proc/self/cmdline', 'rb').read())
start = int(open('/proc/self/stat').read().rpartition(')')[2].split()[45])
ctypes.memset(start, 0, size)
ctypes.memmove(start, b'worker: idle', 12)
${sleeper}`,
  );
  const unnamed = await python(
    t,
    `size = len(open('/proc/self/cmdline', 'rb').read())
ctypes.memset(int(open('/proc/self/stat').read().rpartition(')')[2].split()[45]), 0, size)
ctypes.CDLL(None).prctl(15, b'a) R 1 1 (b', 0, 0, 0)
${sleeper}`,
  );
  const { signalled } = await endRecorded([titled, unnamed]);
  const commands = new Map(signalled.map(({ pid, command }) => [pid, command]));
  assert.equal(commands.get(titled.pid), 'worker: idle');
  assert.equal(commands.get(unnamed.pid), '[a) R 1 1 (b]');
});

test('field case 67: what cannot be read is passed over, and the family is ended all the same', async (t) => {
  const members = [await python(t, sleeper), await python(t, deaf)];
  const [first, second] = members.map(({ pid }) => pid);
  assert.ok(first !== undefined && second !== undefined);
  // One may not be read, one has ended half-way, one ends while it is read.
  const unreadable = [1, 2 ** 30, 2 ** 30 + 1];
  const family = new Family(undefined, () => members, {
    listPids: () => [unreadable[0] ?? 0, first, unreadable[1] ?? 0, second, unreadable[2] ?? 0],
    readStat: (pid) => (unreadable.includes(pid) ? undefined : readStat(pid)),
  });
  t.after(() => family.close());
  assert.equal(await killAll(family, () => undefined), 0);
  assert.equal(members.some(isAlive), false);
  assert.ok(listPids().length > 0);
  for (const gap of scanGaps())
    assert.match(gap, /^\d+ process(?:es)? of this machine could not be looked at/u);
});

test('field case 68: a zombie has ended: nobody waits for it or signals it', async (t) => {
  const parent = await python(t, zombieParent);
  const zombie = keyOf(Number(parent.said));
  assert.equal(readStat(zombie.pid)?.state, 'Z');
  const from = performance.now();
  assert.deepEqual(await endRecorded([zombie]), { signalled: [], survivors: 0, gaps: scanGaps() });
  assert.equal(await stopOne(zombie), 'it had ended already');
  assert.ok(performance.now() - from < 1000);
  assert.equal(isAlive(zombie), false);
});

test('field case 68: a process whose first thread has ended looks like a zombie, and is ended', async (t) => {
  const [one, other] = [await python(t, headless), await python(t, headless)];
  for (const each of [one, other]) assert.equal(readStat(each.pid)?.state, 'Z');
  assert.ok(isAlive(one));
  const { signalled, survivors } = await endRecorded([one]);
  assert.deepEqual([survivors, signalled.map(({ pid }) => pid)], [0, [one.pid]]);
  assert.equal(isAlive(one), false);
  assert.match(await stopOne(other), /^ended by/u);
  assert.equal(isAlive(other), false);
});
