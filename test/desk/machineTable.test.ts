/** Field cases of kind 5 (process tree), by number: what a process lister makes of odd machines. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import psList from 'ps-list';
import { machineTable } from '../../src/desk/machineTable.ts';

/** For this test only: the lister reads the environment of this process. */
function environment(t: TestContext, change: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(change)) {
    const before = process.env[name];
    process.env[name] = value;
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

/** A process with these arguments, told by itself to run. */
async function running(t: TestContext, ...args: string[]): Promise<ChildProcess> {
  const child = spawn('/bin/sh', ['-c', 'echo here; read wait', 'sh', ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** A `ps` of the test's own is the only one that can be found. */
function onlyPs(t: TestContext, script: string | undefined): void {
  const folder = mkdtempSync(join(tmpdir(), 'kwps-'));
  t.after(() => rmSync(folder, { recursive: true }));
  if (script !== undefined) {
    writeFileSync(join(folder, 'ps'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'ps'), 0o755);
  }
  environment(t, { PATH: folder });
}

test('field case 63: another language changes no start time, and no row is lost', async (t) => {
  environment(t, { LC_ALL: 'ko_KR.UTF-8', LANG: 'ko_KR.UTF-8', LC_TIME: 'ko_KR.UTF-8' });
  const rows = await machineTable(psList);
  const own = rows.find(({ pid }) => pid === process.pid);
  assert.equal(own?.ppid, process.ppid);
  const startedAt = Date.now() - process.uptime() * 1000;
  assert.ok(Math.abs((own.startTime?.getTime() ?? 0) - startedAt) < 5000);
});

test('field case 63: a lister of which no line could be read has failed', async (t) => {
  onlyPs(
    t,
    `printf '1 0 0 0.0 0.0 월 12/29 11:42:40 2025 init\\n2026년 8월 17일 월요일 18시 51분 12초\\n' | /bin/sed s/^1/x/`,
  );
  await assert.rejects(machineTable(psList), /listed no process at all/u);
});

test('field case 64: COLUMNS cuts no command line', async (t) => {
  environment(t, { COLUMNS: '80' });
  const long = 'x'.repeat(100_000);
  const child = await running(t, long, 'last');
  const row = (await machineTable(psList)).find(({ pid }) => pid === child.pid);
  assert.ok(row?.cmd?.endsWith(`${long} last`), `${row?.cmd?.length} characters`);
});

test('field case 66: an argument that holds a line end makes no row', async (t) => {
  const child = await running(t, 'a\n999999999 1 evil', '\n999999999 1 0 0.0 0.0 evil');
  const rows = await machineTable(psList);
  assert.ok(rows.some(({ pid, cmd }) => pid === child.pid && cmd?.includes('evil')));
  assert.equal(
    rows.some(({ pid }) => pid === 999_999_999),
    false,
  );
});

test('field case 70: a lister that is missing, fails or says nothing is no empty machine', async (t) => {
  for (const [what, script, error] of [
    ['missing', undefined, /ENOENT/u],
    ['silent', 'exit 0', /listed no process at all/u],
    ['failed', 'exit 1', /Command failed/u],
  ] as const) {
    await t.test(what, async (each) => {
      onlyPs(each, script);
      await assert.rejects(machineTable(psList), error);
    });
  }
});
