/**
 * Small calls while the server's family floods the watch (THREATS 11): 8 threads that ask for a program that is not
 * there, each time with 60,000 arguments. Beside it the same without a flood, and both bare: what is left to a
 * client on a machine whose processors the flood takes.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { inCheckout, isExec, toolServer } from '../process/rig.ts';
import { type Asker, Bench, median } from './asker.ts';

const floodSeconds = Number(process.env['KINWATCH_BENCH_FLOOD_S'] ?? 6);
const barMs = 5;
const quietCalls = 300;
const flood = ['/usr/bin/python3', inCheckout('test', 'attacks', 'flood.py'), String(floodSeconds)];

/** Milliseconds of one small call. */
async function call(asker: Asker): Promise<number> {
  const from = performance.now();
  await asker.ask('tools/call', { name: 'echo', arguments: { value: 'x' } });
  return performance.now() - from;
}

/** Starts the flood in the server's family. Resolves when all of its threads run. */
async function startFlood(asker: Asker): Promise<number> {
  const [command, ...args] = flood;
  const started = await asker.ask('tools/call', { name: 'background', arguments: { command, args } });
  const { pid } = JSON.parse(JSON.parse(started.toString()).result.content[0].text) as { pid: number };
  while (threadsOf(pid) < 9) await delay(5);
  return pid;
}

function threadsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0; // ended
  }
}

interface Measured {
  readonly quietMs: number;
  readonly floodMs: number;
  readonly worstMs: number;
  readonly calls: number;
}

async function measure(asker: Asker, allowed: () => Promise<unknown>): Promise<Measured> {
  const quiet: number[] = [];
  for (let i = 0; i < quietCalls; i++) quiet.push(await call(asker));
  const [pid] = await Promise.all([startFlood(asker), allowed()]);
  const during: number[] = [];
  while (threadsOf(pid) >= 9) during.push(await call(asker));
  return {
    quietMs: median(quiet),
    floodMs: median(during),
    worstMs: Math.max(...during),
    calls: during.length,
  };
}

const bench = new Bench();
const server = [process.execPath, toolServer];
const bare = await bench.bare(server);
const bareTimes = await measure(bare, () => Promise.resolve());
await bare.close();
const supervised = await bench.kinwatch('flood', server);
const times = await measure(supervised, async () => (await bench.reviewer()).decide('once', isExec));
await supervised.close();
await bench.close();

console.log(
  `\nsmall calls under a flood of ${floodSeconds} s: 8 threads, execs of nothing with 60,000 arguments\n`,
);
for (const [name, { quietMs, floodMs, worstMs, calls }] of Object.entries({
  bare: bareTimes,
  kinwatch: times,
})) {
  console.log(
    `${name.padEnd(10)} median ${floodMs.toFixed(2).padStart(8)} ms (quiet ${quietMs.toFixed(2)}), worst ${worstMs.toFixed(1)} ms, ${calls} calls`,
  );
}
console.log(
  `bar: median behind Kinwatch at most ${barMs} ms: ${times.floodMs <= barMs ? 'reached' : 'missed'}`,
);
