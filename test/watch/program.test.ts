import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Argument } from '../../src/core/facts.ts';
import {
  identityOf,
  isSystemOwned,
  lookAtProgram,
  packageRoot,
  programFacts,
  type ProgramLook,
  programUnchanged,
} from '../../src/watch/program.ts';

const asRoot = process.getuid?.() === 0;
const sh = realpathSync('/bin/sh');
const env = realpathSync('/usr/bin/env');

function folder(t: TestContext): {
  readonly home: string;
  readonly file: (name: string, text: string, mode?: number) => string;
} {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'kwq-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return {
    home,
    file: (name, text, mode = 0o755) => {
      const path = join(home, name);
      writeFileSync(path, text);
      chmodSync(path, mode);
      return path;
    },
  };
}

function program(path: string, argv: readonly Argument[], cwd = '/'): ProgramLook {
  const result = lookAtProgram(path, argv, cwd);
  return result.kind === 'program' ? result.look : assert.fail(JSON.stringify(result));
}

const of = ({ executable, script }: ProgramLook): (string | undefined)[] => [
  executable.facts.path,
  script?.facts.path,
];

test('a binary is itself, behind its links', (t) => {
  const { home } = folder(t);
  symlinkSync('/usr/bin/env', join(home, 'link'));
  const look = program(join(home, 'link'), ['link']);
  assert.deepEqual(of(look), [env, undefined]);
  assert.deepEqual(
    [look.viaShebang, look.shebangVector, look.codeOnStdin, look.inline],
    [false, [], false, undefined],
  );
});

test('#!: interpreter, argument, script, and the vector that the kernel makes of it', (t) => {
  const { file } = folder(t);
  const plain = file('plain', '#!/bin/sh\n');
  assert.deepEqual(of(program(plain, ['plain', 'a'])), [sh, plain]);
  assert.deepEqual(program(plain, ['plain', 'a', 'b']).shebangVector, ['/bin/sh']);
  const spaced = file('spaced', '#! \t/bin/sh \t -e  -u \t\n');
  const look = program(spaced, ['spaced']);
  assert.deepEqual([look.shebangArgument, look.shebangVector], ['-e  -u', ['/bin/sh', '-e  -u']]);
  const viaEnv = file('env', '#!/usr/bin/env -S node --no-warnings\n');
  assert.deepEqual(of(program(viaEnv, ['env'])), [env, viaEnv]);
  const nested = file('nested', `#!${plain} argument\n`);
  const inner = program(nested, ['nested', 'x']);
  assert.deepEqual(of(inner), [sh, nested], 'the script is the one that was started');
  assert.deepEqual(inner.shebangVector, ['/bin/sh', plain, 'argument']);
  const empty = file('empty', '#!\necho');
  assert.equal(program(empty, ['empty']).viaShebang, false);
});

test('#! that leads nowhere names the file at fault', (t) => {
  const { home, file } = folder(t);
  const cases: [string, string, string][] = [
    [file('lost', '#!/opt/gone/x\n'), 'ENOENT', '/opt/gone/x'],
    [file('relative', '#!bin/sh\n'), 'ENOENT', 'bin/sh'],
    [file('folder', `#!${home}\n`), 'EACCES', home],
    [file('loop', `#!${home}/loop\n`), 'ELOOP', join(home, 'loop')],
    [file('closed', '#!/bin/sh\n', 0o644), 'EACCES', join(home, 'closed')],
    [join(home, 'gone'), 'ENOENT', join(home, 'gone')],
  ];
  for (const [path, code, at] of cases)
    assert.deepEqual(lookAtProgram(path, ['x'], '/'), { kind: 'absent', code, path: at });
});

test('what cannot be read is not judged', { skip: asRoot }, (t) => {
  const { file } = folder(t);
  const path = file('secret', 'binary', 0o111);
  assert.deepEqual(lookAtProgram(path, ['secret'], '/'), { kind: 'unreadable', path });
});

test('an interpreter with a script, from its own directory; inline; module; stdin', (t) => {
  const { home, file } = folder(t);
  const script = file('work.sh', 'echo', 0o644);
  mkdirSync(join(home, 'below'));
  assert.deepEqual(of(program('/bin/sh', ['sh', 'work.sh'], home)), [sh, script]);
  assert.deepEqual(of(program('/bin/sh', ['sh', '../work.sh'], join(home, 'below'))), [sh, script]);
  assert.deepEqual(of(program('/bin/sh', ['sh', script], '/')), [sh, script]);
  const gone = program('/bin/sh', ['sh', 'gone.sh'], home);
  assert.deepEqual(
    [gone.script, gone.codeOnStdin, gone.inline],
    [undefined, true, { option: 'script', text: 'gone.sh' }],
  );
  const directory = program('/bin/sh', ['sh', 'below'], home);
  assert.equal(directory.codeOnStdin, true);
  assert.deepEqual(program('/bin/sh', ['sh', '-c', 'echo']).inline, { option: '-c', text: 'echo' });
  assert.equal(program('/bin/sh', ['sh']).codeOnStdin, true);
  // Behind a `#!` the arguments are the script's own.
  const own = file('own', '#!/bin/sh\n');
  assert.equal(program(own, ['own', '-c', 'echo']).inline, undefined);
});

test(
  'identity: content where it can be written, the inode elsewhere; inline text; arguments do not count',
  { skip: asRoot },
  async (t) => {
    const { file } = folder(t);
    const path = file('tool', '#!/bin/sh\n1\n');
    const one = await identityOf(program(path, ['tool']));
    assert.equal(await identityOf(program(path, ['tool', 'argument'])), one);
    file('tool', '#!/bin/sh\n2\n');
    const two = await identityOf(program(path, ['tool']));
    assert.notEqual(two, one);
    file('tool', '#!/bin/sh\n1\n');
    assert.equal(await identityOf(program(path, ['tool'])), one, 'the same content again');
    const inline = (text: string): string | Promise<string> =>
      identityOf(program('/bin/sh', ['sh', '-c', text]));
    assert.notEqual(await inline('a'), await inline('b'));
    assert.equal(await inline('a'), await inline('a'));
    assert.equal(isSystemOwned(program('/bin/sh', ['sh', '-c', 'a'])), true);
    assert.equal(isSystemOwned(program(path, ['tool'])), false, 'its interpreter is, its script is not');
    const large = file('large', `#!/bin/sh\n${'#'.repeat(1024 * 1024)}`);
    assert.match(await identityOf(program(large, ['large'])), /sha256:/u);
  },
);

test('unchanged until one of its files changes', (t) => {
  const { file } = folder(t);
  const path = file('tool', '#!/bin/sh\n');
  const look = program(path, ['tool']);
  assert.equal(programUnchanged(look), true);
  file('tool', '#!/bin/sh\n# longer\n');
  assert.equal(programUnchanged(look), false);
});

test('facts carry digests of what a member can write, inline code and packages', async (t) => {
  const { file } = folder(t);
  const facts = await programFacts(program(file('tool', '#!/bin/sh\n'), ['tool']));
  assert.match(facts.script?.digest ?? '', /^sha256:[0-9a-f]{64}$/u);
  const runner = file('npx', '#!/bin/sh\n');
  assert.equal((await programFacts(program(runner, ['npx', '-y', 'name@1']))).package, 'name@1');
  assert.equal((await programFacts(program('/bin/sh', ['sh']))).codeOnStdin, true);
});

test('arguments that are no text are told from every text', (t) => {
  const { home } = folder(t);
  const bytes = program('/bin/sh', ['sh', '-c', { base64: '/w==' }], home);
  const text = program('/bin/sh', ['sh', '-c', '/w=='], home);
  assert.notDeepEqual(bytes.inline, text.inline);
});

test('the package of a file', (t) => {
  const { home, file } = folder(t);
  mkdirSync(join(home, 'package/dist/deep'), { recursive: true });
  file('package/package.json', '{}');
  file('package/dist/deep/x.js', '');
  file('alone.js', '');
  assert.equal(
    packageRoot('/a/node_modules/b/node_modules/@c/d/dist/x.js'),
    '/a/node_modules/b/node_modules/@c/d',
  );
  assert.equal(packageRoot('/a/node_modules/.bin/x'), undefined);
  assert.equal(packageRoot(join(home, 'package/dist/deep/x.js')), undefined, 'a project of the user’s own');
  assert.equal(packageRoot(join(home, 'alone.js')), undefined);
});
