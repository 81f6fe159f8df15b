/**
 * What one supervised session costs besides its work: how long a server's exit takes to reach the client, and what
 * the supervisor holds and uses while nothing happens.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listPids, readStat } from '../../src/watch/proc.ts';
import { launcher, Rig, toolServer } from '../process/rig.ts';

const exits = 15;
const idleSeconds = Number(process.env['KINWATCH_BENCH_IDLE_S'] ?? 60);
/** Idle begins when the engine has tidied up after the start, which it does for some ten seconds. */
const settleMs = 20_000;

/** The rig cleans up through a test's context; here the bench is the test. */
const cleanups: (() => unknown)[] = [];
const context = { after: (clean: () => unknown) => cleanups.push(clean) } as unknown as TestContext;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A server that says the time and is gone: one message, in nanoseconds of the clock that this process reads too. */
const quick = [
  '/bin/date',
  '+{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s%N"}}',
];

/** Milliseconds from the server's last message to the exit of what the client launched. */
async function exitDelay(child: ChildProcess): Promise<number> {
  let said = '';
  let complained = '';
  child.stderr?.on('data', (chunk: Buffer) => (complained += chunk.toString('utf8')));
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const [code] = (await once(child, 'exit')) as [number | null];
  const exitedMs = performance.timeOrigin + performance.now();
  if (child.stdout?.readableEnded === false) await once(child.stdout, 'end');
  const nanoseconds = /"data":"(\d+)"/u.exec(said)?.[1];
  if (nanoseconds === undefined)
    throw new Error(`the server said no time (exit ${code}): ${said}${complained}`);
  return exitedMs - Number(nanoseconds) / 1e6;
}

const rig = Rig.make(context);
const review = await rig.reviewer();
const options = {
  stdio: 'pipe' as const,
  env: rig.environment,
  cwd: rig.home,
};
const bare = (): ChildProcess => spawn(quick[0] ?? '', quick.slice(1), options);
const supervised = (): ChildProcess => spawn(launcher, ['run', '--name', 'quick', '--', ...quick], options);

const first = exitDelay(supervised());
await review.decide('session');
await first;
const delays = { bare: [] as number[], kinwatch: [] as number[] };
for (let i = 0; i < exits; i += 1) {
  delays.bare.push(await exitDelay(bare()));
  delays.kinwatch.push(await exitDelay(supervised()));
}

const run = rig.run(['--name', 'idle', '--', process.execPath, toolServer]);
const ready = run.ready();
await review.decide('once', ({ server }) => server === 'idle');
await ready;
await delay(settleMs);
const supervisor = listPids().find((pid) => readStat(pid)?.ppid === run.child.pid) ?? Number.NaN;
const before = processorMs(supervisor);
await delay(idleSeconds * 1000);
const usedMs = processorMs(supervisor) - before;
const residentMb =
  Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${supervisor}/status`, 'utf8'))?.[1]) / 1024;

/** Processor time of all threads of a process: `utime` and `stime` of proc_pid_stat(5), in ticks of 10 ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const row = (what: string, value: string, beside: string): void =>
  console.log(`${what.padEnd(58)} ${value.padStart(12)}   ${beside}`);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
console.log(`\na session, medians of ${exits}\n`);
row(
  'server’s exit to client, under Kinwatch − bare',
  ms(median(delays.kinwatch) - median(delays.bare)),
  `${ms(median(delays.bare))} → ${ms(median(delays.kinwatch))}`,
);
row('supervisor, resident while idle', `${residentMb.toFixed(1)} MiB`, 'three threads');
row(
  `supervisor, processor over ${idleSeconds} s of idle`,
  `${((usedMs / (idleSeconds * 1000)) * 100).toFixed(3)} %`,
  ms(usedMs),
);

for (const clean of cleanups.toReversed()) await clean();
