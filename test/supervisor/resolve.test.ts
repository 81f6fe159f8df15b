import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkCwd, type Lookup, resolveCommand } from '../../src/supervisor/resolve.ts';
import { StartError } from '../../src/supervisor/startError.ts';

function folder(t: TestContext): {
  readonly home: string;
  readonly file: (name: string, text: string, mode?: number) => string;
} {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'kwr-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  for (const name of ['one', 'two']) mkdirSync(join(home, name));
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

function at(cwd: string, path: string | undefined, more: Partial<Lookup> = {}): Lookup {
  return { cwd, path, host: 'devbox', nextStep: 'Do this next.', ...more };
}

test('the first entry of PATH that can be run', (t) => {
  const { home, file } = folder(t);
  file('one/tool', '#!/bin/sh\n', 0o644);
  const tool = file('two/tool', '#!/bin/sh\n');
  const found = resolveCommand('tool', [], at('/', `${home}/one:${home}/two`));
  assert.equal(found.path, tool);
  assert.equal(found.resolution, `tool, found in PATH entry 2 of 2: ${home}/two`);
  // An empty entry and a relative one mean the working directory.
  assert.equal(resolveCommand('tool', [], at(join(home, 'two'), ':/nowhere')).path, tool);
  assert.equal(resolveCommand('tool', [], at(home, 'two')).path, tool);
  assert.equal(
    resolveCommand('sh', [], at('/', undefined)).path,
    '/bin/sh',
    'no PATH: where the C library looks',
  );
});

test('paths', (t) => {
  const { home, file } = folder(t);
  const tool = file('tool', '#!/bin/sh\n');
  assert.deepEqual(
    resolveCommand('./tool', [], at(home, '')).resolution,
    `relative to ${home}, the working directory`,
  );
  assert.equal(resolveCommand('one/../tool', [], at(home, '')).path, tool);
  assert.equal(resolveCommand(tool, [], at('/', '')).resolution, 'absolute path');
});

test('behind #!/usr/bin/env the named interpreter stands on the card too', (t) => {
  const { home, file } = folder(t);
  file('one/runner', '\u007fELF');
  const path = `${home}/one:/usr/bin:/bin`;
  const script = file('script', '#!/usr/bin/env runner\n');
  const { first, program } = resolveCommand(script, ['x'], at(home, path));
  assert.equal(first.executable.facts.path, realpathSync('/usr/bin/env'));
  assert.equal(program.executable.facts.path, join(home, 'one/runner'));
  const inline = file('inline', '#!/usr/bin/env -S A=1 B=2 sh -c --posix=x\n');
  assert.deepEqual(
    resolveCommand(inline, [], at(home, path)).program.inline,
    { option: '-c', text: '--posix=x' },
    'assignments end at the name',
  );
});

test('each fault is a start that cannot be, with the next step', (t) => {
  const { home, file } = folder(t);
  const cases: [string, RegExp][] = [
    [
      'gone',
      /^command not found: gone is not in the one entry of PATH on devbox: \/usr\/bin\. Do this next\.$/u,
    ],
    ['/gone/x', /^command not found: \/gone\/x \(ENOENT\); check the path/u],
    [home, /is a directory, not a program; name the program in it$/u],
    [file('plain', '', 0o644), /is not executable; chmod \+x it/u],
    [file('lost', '#!/gone/y\n'), /first line names \/gone\/y \(ENOENT\); install it/u],
    [
      file('lost-env', '#!/usr/bin/env gone\n'),
      /first line asks for gone, which is not in the one entry of PATH on devbox: /u,
    ],
    ['~/x', /starts with ~/u],
    ['$HOME/x', /holds \$HOME/u],
    ['${HOME}/x', /holds \$\{HOME\}/u],
  ];
  for (const [command, words] of cases) {
    assert.throws(
      () => resolveCommand(command, [], at(home, '/usr/bin')),
      (error: unknown) => error instanceof StartError && error.exitCode === 3 && words.test(error.message),
      command,
    );
  }
});

test('working directories', (t) => {
  const { home, file } = folder(t);
  checkCwd(home);
  checkCwd('/');
  assert.throws(() => checkCwd(join(home, 'gone')), /does not exist; make it/u);
  assert.throws(() => checkCwd(file('plain', '')), /is a file; name a directory/u);
  assert.throws(() => checkCwd('relative'), /is not absolute; write the whole path/u);
  assert.throws(() => checkCwd('~'), /starts with ~/u);
});
