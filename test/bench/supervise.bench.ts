/**
 * What supervision costs, in ratios taken in one run: the same load bare, under Kinwatch and under `strace -f`, and
 * the time to a server's first answer. Absolute times say little on a busy machine; ratios of neighbours say more.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { recordsOf } from '../desk/harness.ts';
import { launcher, Rig } from '../process/rig.ts';

const programs = 500;
const rounds = 5;
const starts = 8;

/** The rig cleans up through a test's context; here the bench is the test. */
const cleanups: (() => unknown)[] = [];
const context = { after: (clean: () => unknown) => cleanups.push(clean) } as unknown as TestContext;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(child: ChildProcess): Promise<number> {
  const started = performance.now();
  await once(child, 'close');
  return performance.now() - started;
}

/** Milliseconds from launch to the answer of `initialize`. */
async function firstAnswer(child: ChildProcess): Promise<number> {
  const started = performance.now();
  child.stdin?.write(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n',
  );
  await once(child.stdout ?? child, 'data');
  const took = performance.now() - started;
  child.stdin?.end();
  await once(child, 'close');
  return took;
}

const rig = Rig.make(context);
const review = await rig.reviewer();
const directory = mkdtempSync(join(tmpdir(), 'kwb-'));
const load = join(directory, 'load.sh');
writeFileSync(load, `i=0\nwhile [ $i -lt ${programs} ]; do /bin/true $i; i=$((i+1)); done\n`);
const bare = (argv: readonly string[]): ChildProcess =>
  spawn(argv[0] ?? '', argv.slice(1), { stdio: 'ignore', env: rig.environment });
const supervised = (argv: readonly string[]): ChildProcess =>
  spawn(launcher, ['run', '--name', 'bench', '--', ...argv], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: rig.environment,
    cwd: rig.home,
  });

// The first start is answered for the session: what is measured is the machine, not a person.
const command = ['/bin/sh', load];
const first = supervised(command);
await review.decide('session');
await once(first, 'close');

const strace = existsSync('/usr/bin/strace');
const times = { bare: [] as number[], kinwatch: [] as number[], strace: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  times.bare.push(await timed(bare(command)));
  times.kinwatch.push(await timed(supervised(command)));
  if (strace)
    times.strace.push(
      await timed(
        bare(['/usr/bin/strace', '-f', '-qq', '-e', 'trace=process', '-o', '/dev/null', ...command]),
      ),
    );
}
const recorded = recordsOf(rig, 'confirmed').filter(({ exe }) => exe.endsWith('/true')).length;
const expected = programs * (rounds + 1);

const server = join(directory, 'server.mjs');
writeFileSync(
  server,
  `process.stdin.once('data', () => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"b","version":"1"}}}\\n')); process.stdin.on('end', () => process.exit());`,
);
const serverCommand = [process.execPath, server];
const pipes = {
  stdio: ['pipe', 'pipe', 'ignore'] as ['pipe', 'pipe', 'ignore'],
  env: rig.environment,
  cwd: rig.home,
};
const launchSupervised = (): ChildProcess =>
  spawn(launcher, ['run', '--name', 'server', '--', ...serverCommand], pipes);
const asked = launchSupervised();
const answered = firstAnswer(asked);
await review.decide('session', ({ server: name }) => name === 'server');
await answered;
const answers = { bare: [] as number[], kinwatch: [] as number[] };
for (let i = 0; i < starts; i += 1) {
  answers.bare.push(await firstAnswer(spawn(serverCommand[0] ?? '', serverCommand.slice(1), pipes)));
  answers.kinwatch.push(await firstAnswer(launchSupervised()));
}

const row = (what: string, value: string, beside: string): void =>
  console.log(`${what.padEnd(58)} ${value.padStart(12)}   ${beside}`);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
console.log(`\nsupervision, ${rounds} rounds of ${programs} programs that live a millisecond, medians\n`);
row(
  'wall time, under Kinwatch / bare',
  `${(median(times.kinwatch) / median(times.bare)).toFixed(2)}×`,
  `${ms(median(times.bare))} → ${ms(median(times.kinwatch))}, start and end of the session included`,
);
if (strace)
  row(
    'wall time, under strace -f / bare',
    `${(median(times.strace) / median(times.bare)).toFixed(2)}×`,
    ms(median(times.strace)),
  );
row('programs recorded', `${((100 * recorded) / expected).toFixed(1)} %`, `${recorded} of ${expected}`);
row(
  'first answer, under Kinwatch − bare',
  ms(median(answers.kinwatch) - median(answers.bare)),
  `${ms(median(answers.bare))} → ${ms(median(answers.kinwatch))}`,
);

for (const clean of cleanups.toReversed()) await clean();
