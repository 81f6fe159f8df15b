import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { readStat, startTimeOf } from '../../src/watch/proc.ts';
import { lookAtProgram, type ProgramLook } from '../../src/watch/program.ts';
import { readStarted, type Started } from '../../src/watch/seccomp/confirm.ts';
import type { Member } from '../../src/watch/seccomp/members.ts';
import { Unconfirmed } from '../../src/watch/seccomp/unconfirmed.ts';

function programOf(path: string, argv: readonly string[]): ProgramLook {
  const result = lookAtProgram(path, argv, '/');
  assert.ok(result.kind === 'program');
  return result.look;
}

for (const [name, torn, mismatches] of [
  ['an exec between the reads of a look is no other program', 1, 0],
  ['what is another program at a second look too is told', 2, 1],
] as const) {
  test(name, async (t) => {
    const argv = ['/bin/sleep', '1000'];
    const child = spawn('/bin/sleep', ['1000'], { argv0: '/bin/sleep', stdio: 'ignore', env: {} });
    t.after(() => child.kill('SIGKILL'));
    const pid = child.pid ?? 0;
    const [stat, now] = [readStat(pid), readStarted(pid)];
    assert.ok(stat && now);
    const member: Member = {
      pid,
      startTicks: stat.startTicks,
      startedAt: startTimeOf(stat.startTicks),
      ppid: stat.ppid,
      parent: undefined,
      request: undefined,
      pidfd: undefined,
      exitCode: undefined,
      detached: false,
    };
    // The shell before, with the arguments of what it becomes.
    const before = readStarted(process.pid);
    assert.ok(before);
    const mixed: Started = { ...before, argv: now.argv };
    let left: number = torn;
    const found: string[] = [];
    const unconfirmed = new Unconfirmed(
      {
        confirmed: () => undefined,
        mismatch: (_member, _expected, what) => found.push(what),
        gap: () => undefined,
      },
      () => {
        left -= 1;
        return left >= 0 ? mixed : now;
      },
    );
    unconfirmed.released(member, {
      look: programOf('/bin/sleep', argv),
      requested: '/bin/sleep',
      argv,
      environment: [],
    });
    assert.equal(unconfirmed.mayGoOn(member, false), mismatches === 0);
    unconfirmed.close();
    assert.equal(found.length, mismatches);
  });
}
