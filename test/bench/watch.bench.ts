/**
 * What watching programs costs and what it sees: 2,000 programs that live 0.5 to 2.5 ms, bare, under Kinwatch, under
 * `strace -f`, and looked for with ps-list; then births of many kinds. Ratios of neighbours in one run: absolute times
 * say little on a busy machine.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import psList from 'ps-list';
import { recordsOf } from '../desk/harness.ts';
import { inCheckout, launcher, Rig } from '../process/rig.ts';

const programs = Number(process.env['KINWATCH_BENCH_PROGRAMS'] ?? 2000);
const rounds = 3;
const python = '/usr/bin/python3';
const strace = '/usr/bin/strace';

/** The rig cleans up through a test's context; here the bench is the test. */
const cleanups: (() => unknown)[] = [];
const context = { after: (clean: () => unknown) => cleanups.push(clean) } as unknown as TestContext;
const rig = Rig.make(context);
const review = await rig.reviewer();
const directory = mkdtempSync(join(tmpdir(), 'kwb-'));
cleanups.push(() => rmSync(directory, { recursive: true, force: true }));

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function row(what: string, value: string, beside = ''): void {
  console.log(`${what.padEnd(58)} ${value.padStart(12)}   ${beside}`.trimEnd());
}

const share = (seen: number, of: number): string => `${((100 * seen) / of).toFixed(1)} %`;

const bare = (argv: readonly string[]): ChildProcess =>
  spawn(argv[0] ?? '', argv.slice(1), { stdio: 'ignore', env: rig.environment, cwd: rig.home });
const supervised = (name: string, argv: readonly string[]): ChildProcess =>
  spawn(launcher, ['run', '--name', name, '--', ...argv], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: rig.environment,
    cwd: rig.home,
  });

// The load tells its own time: starting and ending a session is another figure.
const told = join(directory, 'told');
const load = ['/bin/sh', inCheckout('test', 'bench', 'loads', 'short.sh'), String(programs), told];
async function timed(child: ChildProcess): Promise<number> {
  await once(child, 'close');
  const [from = 0, to = 0] =
    readFileSync(told, 'utf8').trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  return (to - from) * 1000;
}

/** Numbers of the load's programs in a text that holds their arguments. */
function numbersIn(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/sleep"?,? "?0\.00\d\d(1\d{5})\b/gu)].flatMap(([, number]) => number ?? []),
  );
}

/** The load with two lists of the process table taken beside it. */
async function polled(): Promise<Record<'1 s' | '250 ms', number>> {
  const seen = { '1 s': new Set<string>(), '250 ms': new Set<string>() };
  const look = async (into: Set<string>): Promise<void> => {
    for (const { cmd } of await psList()) for (const number of numbersIn(cmd ?? '')) into.add(number);
  };
  const timers = [
    setInterval(() => void look(seen['1 s']), 1000),
    setInterval(() => void look(seen['250 ms']), 250),
  ];
  await timed(bare(load));
  for (const timer of timers) clearInterval(timer);
  return { '1 s': seen['1 s'].size, '250 ms': seen['250 ms'].size };
}

// The first start is answered for the session: what is measured is the machine, not a person.
const first = supervised('short', load);
await review.decide('session');
await timed(first);

const times = { bare: [] as number[], kinwatch: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  times.bare.push(await timed(bare(load)));
  times.kinwatch.push(await timed(supervised('short', load)));
}
const traceFile = join(directory, 'trace');
const traced = existsSync(strace)
  ? await timed(bare([strace, '-f', '-qq', '-e', 'trace=process', '-o', traceFile, ...load]))
  : undefined;
const byPolling = await polled();

const sessions = recordsOf(rig, 'session opened').map(({ session }) => session);
const ofLast = <T extends { readonly session: string }>(records: readonly T[]): T[] =>
  records.filter(({ session }) => session === sessions.at(-1));
const confirmed = numbersIn(
  ofLast(recordsOf(rig, 'confirmed'))
    .map(({ argv }) => argv.map((argument) => (typeof argument === 'string' ? argument : '')).join(' '))
    .join('\n'),
).size;
// The shell of the load is a birth too.
const births = ofLast(recordsOf(rig, 'birth')).length - 1;

console.log(`\n${programs} programs that live 0.5 to 2.5 ms, medians of ${rounds} rounds\n`);
const [bareMs, kinwatchMs] = [median(times.bare), median(times.kinwatch)];
row(
  'wall time, under Kinwatch / bare',
  `${(kinwatchMs / bareMs).toFixed(2)}×`,
  `${bareMs.toFixed(0)} ms → ${kinwatchMs.toFixed(0)} ms, bar 1.6×`,
);
if (traced === undefined) row('wall time, under strace -f', 'no strace');
else {
  row('wall time, under strace -f / bare', `${(traced / bareMs).toFixed(2)}×`, `${traced.toFixed(0)} ms`);
  row('wall time, under Kinwatch / strace -f', `${(kinwatchMs / traced).toFixed(2)}×`, 'bar 0.5×');
}
row('births recorded', share(births, programs), `${births} of ${programs}, bar 100 %`);
row('programs recorded', share(confirmed, programs), `${confirmed} of ${programs}, bar 100 %`);
for (const [every, seen] of Object.entries(byPolling))
  row(`programs seen by ps-list each ${every}`, share(seen, programs));
if (traced !== undefined)
  row('programs seen by strace -f', share(numbersIn(readFileSync(traceFile, 'latin1')).size, programs));

if (existsSync(python)) await mixed();
else row('births recorded, mixed suite', 'no python3');
for (const clean of cleanups.toReversed()) await clean();

/** Builds what a compiler is needed for; gives the folder. */
function programsOfKinds(): string {
  const folder = join(rig.home, 'programs');
  mkdirSync(folder);
  writeFileSync(join(folder, 'shebang'), '#!/bin/sh\n:\n');
  chmodSync(join(folder, 'shebang'), 0o755);
  const compile = (name: string, source: string, ...options: string[]): void => {
    writeFileSync(join(folder, `${name}.c`), source);
    spawnSync('cc', [...options, '-o', join(folder, name), join(folder, `${name}.c`)], {
      env: rig.environment,
    });
  };
  compile('static', 'int main(void) { return 0; }\n', '-static');
  const exit = process.arch === 'x64' ? '"syscall" :: "a"(231), "D"(0)' : '"mov x8, 94\\nmov x0, 0\\nsvc 0"';
  compile('no C library', `void _start(void) { __asm__(${exit}); for (;;); }\n`, '-static', '-nostdlib');
  return folder;
}

async function mixed(): Promise<void> {
  const folder = programsOfKinds();
  const result = join(directory, 'births');
  const answering = setInterval(() => {
    for (const { id } of review.questions()) review.answer(id, 'session');
  }, 20);
  const child = supervised('mixed', [
    python,
    inCheckout('test', 'bench', 'loads', 'mixed.py'),
    result,
    folder,
  ]);
  await once(child, 'close');
  clearInterval(answering);
  const expected = JSON.parse(readFileSync(result, 'utf8')) as Record<string, number>;
  const total = Object.values(expected).reduce((sum, count) => sum + count, 0);
  const session = recordsOf(rig, 'session opened').at(-1)?.session;
  const recorded = recordsOf(rig, 'birth').filter((record) => record.session === session).length - 1;
  const missing = ['static', 'no C library'].filter((name) => !(name in expected));
  const without = missing.length === 0 ? '' : `, without ${missing.join(' and ')}: no compiler`;
  row(
    'births recorded, mixed suite',
    share(recorded, total),
    `${recorded} of ${total} of ${Object.keys(expected).length} kinds${without}, bar 100 %`,
  );
}
