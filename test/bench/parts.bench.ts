/** The desk's and the panel's hot paths in one process: record with fsync against a bare one, and the tree's update. */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyState, reduce } from '../../src/editor/mirror.ts';
import { openLineJournal } from '../../src/journal/lineWriter.ts';
import type { RecordBody } from '../../src/journal/record.ts';
import type { FromDesk, SessionView } from '../../src/protocol/desk.ts';
import { treeRows } from '../../webview/treeRows.ts';

const rounds = 200;
const directory = mkdtempSync(join(tmpdir(), 'kwb-'));
const now = '2026-03-12T14:01:07.000Z';

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const body: RecordBody = { kind: 'birth', session: 's', pid: 1, startTicks: 1, startedAt: now, ppid: 1 };
const line = Buffer.from(`${JSON.stringify({ sequence: 1, at: now, body })}\n`);
const fd = openSync(join(directory, 'bare'), 'a');
const journal = openLineJournal(join(directory, 'records'));
const [bare, durable]: [number[], number[]] = [[], []];
for (let i = 0; i < rounds; i += 1) {
  let started = performance.now();
  writeSync(fd, line);
  fsyncSync(fd);
  bare.push(performance.now() - started);
  started = performance.now();
  await journal.appendDurable(body);
  durable.push(performance.now() - started);
}
const manyStarted = performance.now();
const many = 20_000;
for (let i = 0; i < many; i += 1) journal.append(body);
const perSecond = many / ((performance.now() - manyStarted) / 1000);
closeSync(fd);
journal.close();
rmSync(directory, { recursive: true });

const session: SessionView = {
  session: 's',
  server: 'tools',
  client: { pid: 1, startTicks: 1, startedAt: now, argv: ['code'] },
  state: 'running',
  coverage: { level: 'held', text: 'execs held', gaps: {} },
  startedAt: now,
  overrides: [],
  processes: [],
  endedUnlisted: 0,
};
let state = reduce(emptyState, { kind: 'session', session }, now);
const updates: number[] = [];
for (let i = 2; i < 2002; i += 1) {
  const messages: FromDesk[] = [
    { kind: 'birth', session: 's', pid: i, startedAt: now, ppid: i === 2 ? 1 : 2, parentStartedAt: now },
    {
      kind: 'exec',
      session: 's',
      pid: i,
      startedAt: now,
      exe: '/bin/true',
      argv: ['true'],
      cwd: '/',
      step: 'confirmed',
    },
    ...(i === 2 ? [] : [{ kind: 'end', session: 's', pid: i, startedAt: now, status: 'exit 0' } as const]),
  ];
  const started = performance.now();
  for (const message of messages) state = reduce(state, message, now);
  updates.push(performance.now() - started);
}
const drawn: number[] = [];
for (let i = 0; i < 100; i += 1) {
  const started = performance.now();
  treeRows(state.sessions, (_key, byDefault) => byDefault);
  drawn.push(performance.now() - started);
}

console.log('\nrecord and tree, medians\n');
console.log(
  `append with fsync / bare write with fsync   ${(median(durable) / median(bare)).toFixed(2)}×   ${median(bare).toFixed(3)} → ${median(durable).toFixed(3)} ms`,
);
console.log(
  `births without fsync                        ${Math.round(perSecond).toLocaleString('en')} a second`,
);
console.log(
  `tree update for one process (birth, exec, end), 2,000 of them   ${median(updates).toFixed(3)} ms`,
);
console.log(`rows of the tree after it                   ${median(drawn).toFixed(3)} ms`);
