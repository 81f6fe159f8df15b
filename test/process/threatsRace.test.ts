/**
 * What was judged is what runs (THREATS 6, 7, 8): whatever is swapped in between is ended before its `main`, or
 * soon after it when it hides.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '../desk/harness.ts';
import { inCheckout, Rig, until } from './rig.ts';

const race = inCheckout('test', 'attacks', 'race.py');
const python = '/usr/bin/python3';
const modes = ['file', 'argv', 'environment', 'script', 'path', 'spoof', 'hide', 'hideAll'] as const;
type Mode = (typeof modes)[number] | 'kill';

/** Tries of one mode in all, and catches (each ends a session) after which it has been seen often enough. */
const triesInAll = 60;
const enoughCatches = 2;

interface Attack {
  readonly argv: readonly string[];
  readonly marker: string;
  readonly out: string;
  /** True for a question about the forbidden half. */
  readonly isBad: (question: Message) => boolean;
}

/** Lays out both halves below a folder of their own. */
function prepare(home: string, mode: Mode, tries: number): Attack {
  const folder = join(home, mode);
  const marker = join(folder, 'marker');
  const out = join(folder, 'out');
  mkdirSync(folder, { recursive: true });
  const script = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const halves = (name: string, good: string, bad = '/usr/bin/touch'): string => {
    const link = join(folder, name);
    if (existsSync(link)) return link;
    for (const [half, file] of [
      ['good', good],
      ['bad', bad],
    ] as const) {
      mkdirSync(join(folder, half));
      copyFileSync(realpathSync(file), join(folder, half, name));
    }
    symlinkSync(`good/${name}`, link);
    return link;
  };
  const program = {
    file: () => halves('program', '/usr/bin/true'),
    hide: () => halves('program', '/usr/bin/true'),
    hideAll: () => halves('program', '/usr/bin/true', '/usr/bin/tail'),
    argv: () => '/bin/sh',
    environment: () => script('bad.sh', `: >${marker}`),
    kill: () => '/bin/true',
    script: () => script('script', `[ "$1" = good ] || : >${marker}`),
    path: () => (script('p.bad', `: >${marker}`), script('p.good', ':')),
    spoof: () => halves('python3', python),
  }[mode]();
  return {
    argv: [mode === 'spoof' ? program : python, race, mode, program, marker, String(tries), out],
    marker,
    out,
    isBad: ({ rows }) =>
      JSON.stringify(rows).match(mode === 'argv' ? /marker/u : /\/bad\/|p\.bad|"bad"|\bbad\b/u) !== null,
  };
}

function noted(out: string): Message[] {
  if (!existsSync(out)) return [];
  return readFileSync(out, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

test('without Kinwatch each swap wins', { timeout: 300_000 }, (t) => {
  const rig = Rig.make(t);
  for (const mode of modes) {
    const { argv, marker } = prepare(rig.home, mode, 300);
    const [command = '', ...args] = argv;
    const { status, stderr } = spawnSync(command, args, {
      cwd: rig.home,
      input: '{"id":1}\n\n',
      encoding: 'utf8',
      timeout: 120_000,
    });
    assert.equal(status, 0, stderr);
    assert.ok(existsSync(marker), mode);
  }
});

/** One session of it: how many tries it made, and whether Kinwatch ended it. */
async function oneSession(
  t: TestContext,
  mode: Mode,
  tries: number,
): Promise<{ tries: number; caught: boolean; denied: number }> {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const { argv, marker, out, isBad } = prepare(rig.home, mode, tries);
  const run = rig.run(['--name', 'race', '--', ...argv]);
  const ready = run.ready();
  await review.decide('once');
  await ready;
  const answered = new Set<string>();
  let denied = 0;
  const isOver = (): boolean => run.exit !== undefined || noted(out).some(({ done }) => done);
  while (!isOver()) {
    for (const question of review.questions()) {
      if (question.transition !== 'new executable' || answered.has(question.id)) continue;
      answered.add(question.id);
      if (isBad(question)) denied += 1;
      review.answer(question.id, isBad(question) ? 'deny' : mode === 'script' ? 'once' : 'session');
    }
    assert.equal(existsSync(marker), false, `${mode}: the forbidden half ran`);
    await delay(2);
  }
  const caught = run.exit !== undefined;
  if (caught) {
    const { certificate } = await review.find('certificate');
    assert.match(
      certificate.cause,
      /^Kinwatch released \S+ and \S+(?: with (?:other arguments|another environment))? started instead$/u,
    );
    assert.equal(certificate.survivors, 0);
    assert.equal(certificate.proved, true);
    assert.ok(
      rig
        .records()
        .some(({ body }) => body.kind === 'refusal' && body.rule === 'program differs from what was judged'),
    );
  } else {
    run.child.stdin.end();
    await until('it has ended', () => run.exit);
  }
  assert.equal(existsSync(marker), false, `${mode}: the forbidden half ran`);
  return { tries: noted(out).filter(({ started }) => started !== undefined).length, caught, denied };
}

for (const mode of modes) {
  test(`under Kinwatch the forbidden half never runs: ${mode}`, { timeout: 600_000 }, async (t) => {
    let tries = 0;
    let denied = 0;
    let catches = 0;
    while (tries < triesInAll && catches < enoughCatches) {
      const session = await oneSession(t, mode, triesInAll - tries);
      tries += session.tries;
      denied += session.denied;
      if (session.caught) catches += 1;
    }
    t.diagnostic(
      `${mode}: ${tries} tries, ${denied} judged as the forbidden half and denied, ${catches} caught after release`,
    );
    assert.ok(tries > 0);
  });
}

test(
  'a program that is killed while it starts is no program that differs',
  { timeout: 300_000 },
  async (t) => {
    const { tries, caught } = await oneSession(t, 'kill', 60);
    assert.equal(tries, 60);
    assert.equal(caught, false);
  },
);
