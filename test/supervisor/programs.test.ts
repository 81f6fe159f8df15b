/** Whose connection it is: by descent and by the kernel's word, never by what a process says of itself. */
import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { Programs, type RunningProgram } from '../../src/supervisor/programs.ts';
import { lookAtProgram } from '../../src/watch/program.ts';
import type { Member } from '../../src/watch/seccomp/members.ts';

/** This very process stands for a member. */
function member(parent?: Member): Member {
  return {
    pid: process.pid,
    startTicks: 1,
    startedAt: '',
    ppid: 1,
    parent,
    request: undefined,
    pidfd: undefined,
    exitCode: undefined,
    detached: false,
  };
}

function running(path: string, identity: string): RunningProgram {
  const result = lookAtProgram(path, [path], '/');
  assert.ok(result.kind === 'program');
  return { identity, look: result.look, environment: [], argv: [path], cwd: '/' };
}

const own = running(readlinkSync('/proc/self/exe'), 'own');
const other = running('/bin/true', 'other');

test('the first member starts as the approved program, a child as what its parent is', () => {
  const programs = new Programs();
  const root = member();
  programs.born(root, own);
  assert.equal(programs.of(root)?.identity, 'own');
  const child = member(root);
  programs.born(child, own);
  assert.equal(programs.of(child)?.identity, 'own');
});

test('a member whose parent was gone before it was seen has nobody’s grants', () => {
  const programs = new Programs();
  programs.born(member(), own);
  const orphan = member();
  programs.born(orphan, own);
  assert.equal(programs.of(orphan), undefined);
});

test('an exec that failed lends nobody its program; one that was not confirmed does not go under its caller’s name', () => {
  const programs = new Programs();
  const root = member();
  programs.born(root, own);
  programs.released(root, other);
  assert.equal(programs.of(root)?.identity, 'own', 'the file says that it is still what it was');
  const started = new Programs();
  const caller = member();
  started.born(caller, other);
  started.released(caller, own);
  assert.equal(started.of(caller)?.identity, 'own', 'the file says that it has started');
  started.confirmed(caller);
  assert.equal(started.of(caller)?.identity, 'own');
  started.ended(caller);
  assert.equal(started.of(caller), undefined);
});
