/** What a session's start costs: the time to a server's first answer, bare and under Kinwatch, in one run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { launcher, Rig } from '../process/rig.ts';

const starts = 8;

/** The rig cleans up through a test's context; here the bench is the test. */
const cleanups: (() => unknown)[] = [];
const context = { after: (clean: () => unknown) => cleanups.push(clean) } as unknown as TestContext;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
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
console.log(`\na session's start, medians of ${starts}\n`);
row(
  'first answer, under Kinwatch − bare',
  ms(median(answers.kinwatch) - median(answers.bare)),
  `${ms(median(answers.bare))} → ${ms(median(answers.kinwatch))}`,
);

for (const clean of cleanups.toReversed()) await clean();
