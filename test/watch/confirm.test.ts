import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import type { Argument } from '../../src/core/facts.ts';
import { lookAtProgram } from '../../src/watch/program.ts';
import {
  changedSince,
  differs,
  type Expectation,
  readStarted,
  type Started,
} from '../../src/watch/seccomp/confirm.ts';

function judged(argv: readonly Argument[], change: Partial<Expectation['look']> = {}): Expectation {
  const result = lookAtProgram('/bin/sh', argv, '/');
  assert.equal(result.kind, 'program');
  return result.kind === 'program'
    ? { look: { ...result.look, ...change }, requested: './script', argv, environment: ['ENV=x'] }
    : assert.fail();
}

const started = (
  argv: readonly Argument[],
  exe = '/bin/sh',
  environment: readonly Argument[] = ['ENV=x'],
): Started => ({
  exe,
  stats: statSync(exe, { bigint: true }),
  argv,
  environment,
  isBlank: argv.length === 0,
  cwd: '/',
});

test('the judged program with the judged arguments', () => {
  assert.equal(differs(judged(['sh', '-c', 'x']), started(['sh', '-c', 'x'])), undefined);
  assert.equal(differs(judged([]), started([''])), undefined, 'Linux makes one empty argument of none');
  assert.equal(differs(judged(['sh', { base64: '/w==' }]), started(['sh', { base64: '/w==' }])), undefined);
});

test('another file, other arguments', () => {
  assert.equal(differs(judged(['sh']), started(['sh'], '/usr/bin/env')), '/usr/bin/env');
  for (const argv of [['sh', '-c', 'y'], ['sh'], ['sh', '-c', 'x', ''], []]) {
    assert.equal(
      differs(judged(['sh', '-c', 'x']), started(argv)),
      '/bin/sh with other arguments',
      argv.join(),
    );
  }
  const { look, ...rest } = judged(['sh']);
  const touched = { ...look, executable: { ...look.executable, changedNs: look.executable.changedNs + 1n } };
  assert.equal(
    differs({ look: touched, ...rest }, started(['sh'])),
    '/bin/sh',
    'the same inode, changed since',
  );
});

test('another environment', () => {
  for (const environment of [[], ['ENV=y'], ['ENV=x', 'LD_PRELOAD=y'], [{ base64: '/w==' }]])
    assert.equal(
      differs(judged(['sh']), started(['sh'], '/bin/sh', environment)),
      '/bin/sh with another environment',
    );
  assert.equal(changedSince(started(['sh']), started(['sh'], '/bin/sh', [])), '/bin/sh');
});

test('behind #! the vector is the kernel’s: interpreter, argument, the path as given, then the arguments', () => {
  const expectation = judged(['name', 'one', 'two'], { viaShebang: true, shebangVector: ['/bin/sh', '-e'] });
  assert.equal(differs(expectation, started(['/bin/sh', '-e', './script', 'one', 'two'])), undefined);
  for (const argv of [
    ['/bin/sh', '-e', './script', 'one', 'other'],
    ['/bin/sh', '-e', './other', 'one', 'two'],
    ['/bin/sh', '-x', './script', 'one', 'two'],
    ['/bin/sh', '-e', './script', 'one'],
    ['name', 'one', 'two'],
  ]) {
    assert.equal(differs(expectation, started(argv)), '/bin/sh with other arguments', argv.join(' '));
  }
});

test('a confirmation that nothing was released for must find what was there', () => {
  assert.equal(changedSince(started(['sh']), started(['sh'])), undefined);
  assert.equal(changedSince(started(['sh']), started(['sh', 'x'])), '/bin/sh');
  assert.equal(changedSince(started(['sh']), started(['sh'], '/usr/bin/env')), '/usr/bin/env');
});

test('what started is read through /proc', () => {
  const self = readStarted(process.pid);
  assert.equal(self?.stats.ino, statSync(process.execPath, { bigint: true }).ino);
  assert.equal(self?.cwd, process.cwd());
  assert.equal(readStarted(4_194_305), undefined);
});
