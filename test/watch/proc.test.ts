/** Field cases of kind 5 (process tree), by number: what /proc says of processes with odd names and arguments. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import {
  bootId,
  parseStat,
  readCmdline,
  readStat,
  readThreadGroup,
  splitNul,
  startTimeOf,
} from '../../src/watch/proc.ts';

const tail = '0 -1 4194560 120 0 0 0 1 2 0 0 20 0 1 0 50700 3000 200 18446744073709551615';

interface Program {
  readonly pid: number;
  /** Its first line. */
  readonly said: string;
}

/** Runs until the test ends; speaks its first line once it is ready. */
async function python(t: TestContext, text: string, ...args: string[]): Promise<Program> {
  const child = spawn('python3', ['-c', `import ctypes, os, sys, threading\n${text}`, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  assert.ok(child.pid !== undefined);
  return { pid: child.pid, said: said.toString().trim() };
}

const ready = `print('ready', flush=True)\nsys.stdin.read()`;

test('field case 58: fields are taken behind the last parenthesis', () => {
  for (const comm of ['sleep (2) .sh', 'a) R 1 1 (b', ')', '(', '', ' ', 'a\n1 (b', ') S 1 (']) {
    const stat = parseStat(83_875, `83875 (${comm}) S 75750 83875 75750 ${tail}\n`);
    assert.deepEqual(
      [stat?.comm, stat?.state, stat?.ppid, stat?.pgid, stat?.sid, stat?.startTicks, stat?.ended],
      [comm, 'S', 75_750, 83_875, 75_750, 50_700, false],
      comm,
    );
  }
});

test('field case 58: any name, any numbers', () => {
  const pid = fc.integer({ min: 1, max: 2 ** 22 });
  const byte = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(
      fc.string({ unit: byte, maxLength: 64 }),
      fc.constantFrom(...'RSDTtZXI'),
      pid,
      pid,
      fc.maxSafeNat(),
      (comm, state, ppid, sid, startTicks) => {
        const text = `7 (${comm}) ${state} ${ppid} ${sid} ${sid} ${tail.replace('50700', String(startTicks))}\n`;
        const stat = parseStat(7, text);
        assert.deepEqual(
          [stat?.comm, stat?.state, stat?.ppid, stat?.sid, stat?.startTicks],
          [comm, state, ppid, sid, startTicks],
        );
        // Cut anywhere before the end of the start time it says nothing, rather than something wrong.
        const whole = text.indexOf(` ${startTicks} 3000`) + String(startTicks).length + 1;
        for (const cut of [0, 5, comm.length, whole - 1, whole]) {
          const part = parseStat(7, text.slice(0, Math.min(cut, whole)));
          assert.ok(part === undefined || part.startTicks === startTicks, text.slice(0, cut));
        }
      },
    ),
  );
});

test('field case 58: real names with blanks, parentheses and line ends', async (t) => {
  for (const name of ['sleep (2) .sh', 'a) R 1 1 (b', 'x\nTgid:\t1', '(((', ') Z 1 1 1 1']) {
    const child = await python(
      t,
      `ctypes.CDLL(None).prctl(15, ${JSON.stringify(name)}.encode(), 0, 0, 0)\n${ready}`,
    );
    const stat = readStat(child.pid);
    assert.deepEqual([stat?.comm, stat?.ppid, stat?.ended], [name, process.pid, false]);
    assert.ok((stat?.startTicks ?? 0) > 0);
    assert.equal(readThreadGroup(child.pid), child.pid, 'the name is escaped where lines count');
  }
});

test('field case 62: a step of the clock changes neither the identity nor what is shown', async (t) => {
  const child = await python(t, ready);
  const before = readStat(child.pid);
  assert.ok(before);
  const shown = startTimeOf(before.startTicks);
  const now = Date.now;
  t.mock.method(Date, 'now', () => now() + 300_000);
  assert.equal(readStat(child.pid)?.startTicks, before.startTicks);
  assert.equal(startTimeOf(before.startTicks), shown);
  assert.match(bootId(), /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
});

test('field case 66: arguments keep their boundaries; a title without any stays whole', () => {
  const texts = (cmdline: string): string[] => splitNul(Buffer.from(cmdline)).map(String);
  assert.deepEqual(texts('nvim\0+A b\0'), ['nvim', '+A b']);
  assert.deepEqual(texts('prog\0\0'), ['prog', ''], 'an empty argument is one');
  assert.deepEqual(texts(''), []);
  assert.deepEqual(texts('nginx: master process x\0\0\0')[0], 'nginx: master process x');
  assert.deepEqual(texts('title without an end'), ['title without an end']);
  assert.deepEqual(texts('a\n1234 1 evil\0b\0'), ['a\n1234 1 evil', 'b']);
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ min: 1, maxLength: 20 })), (given) => {
      const joined = Buffer.concat(given.flatMap((part) => [part, Buffer.from([0])]));
      assert.deepEqual(
        splitNul(joined),
        given.map((part) => Buffer.from(part)),
      );
    }),
  );
});

test('field case 66: a real process: blanks, line ends, nothing at all', async (t) => {
  const given = ['a b', '', 'x\n1234 1 evil', '読'];
  const child = await python(t, ready, ...given);
  assert.deepEqual(readCmdline(child.pid)?.slice(3).map(String), given);
});

test('field case 67: what ends between listing and reading, or never was, is passed over', async () => {
  for (let round = 0; round < 50; round += 1) {
    const child = spawn('true', { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    let isOver = false;
    child.once('exit', () => (isOver = true));
    const lookOn = (): boolean => !isOver;
    while (lookOn()) {
      readStat(pid);
      readCmdline(pid);
      readThreadGroup(pid);
      await new Promise(setImmediate);
    }
    assert.equal(readStat(pid), undefined);
    assert.equal(readCmdline(pid), undefined);
  }
  assert.equal(readStat(2 ** 30), undefined);
});

test('field case 68: a zombie has ended; a process of which only the first thread has ended lives', async (t) => {
  const parent = await python(
    t,
    `pid = os.fork()
if pid == 0: os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print(pid, flush=True)
sys.stdin.read()`,
  );
  const zombie = readStat(Number(parent.said));
  assert.deepEqual([zombie?.state, zombie?.ended], ['Z', true]);
  assert.deepEqual(readCmdline(Number(parent.said)), []);
  const headless = await python(
    t,
    `def work():
    while open(f'/proc/{os.getpid()}/stat').read().rpartition(')')[2].split()[0] != 'Z': pass
    print('ready', flush=True)
    os.read(0, 1)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)`,
  );
  const alive = readStat(headless.pid);
  assert.deepEqual([alive?.state, alive?.ended], ['Z', false]);
});
