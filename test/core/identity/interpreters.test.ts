import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interpreterInput, interpreterName, runnerPackage } from '../../../src/core/identity/interpreters.ts';

test('which files are interpreters', () => {
  const cases: [string, string | undefined][] = [
    ['/usr/bin/python3.11', 'python'],
    ['/usr/bin/python', 'python'],
    ['/opt/node', 'node'],
    ['/usr/bin/node20', 'node'],
    ['/bin/sh', 'sh'],
    ['/bin/dash', 'dash'],
    ['/bin/bash5', 'bash'],
    ['/usr/bin/perl5.36', 'perl'],
    ['/usr/bin/ruby3.1', 'ruby'],
    ['node', 'node'],
    ['/usr/bin/nodemon', undefined],
    ['/usr/bin/pythonw', undefined],
    ['/usr/bin/python3-config', undefined],
    ['/usr/bin/git', undefined],
    ['/node/', undefined],
  ];
  for (const [path, name] of cases) assert.equal(interpreterName(path), name, path);
});

test('what an interpreter is given', () => {
  const script = (path: string) => ({ kind: 'script', path });
  const inline = (option: string, text: string) => ({ kind: 'inline', option, text });
  const module = (option: string, name: string) => ({ kind: 'module', option, name });
  const stdin = { kind: 'stdin' };
  const none = { kind: 'none' };
  const cases: [string, string[], object][] = [
    ['sh', ['sh', 'x.sh', '-c', 'late'], script('x.sh')],
    ['sh', ['sh', '-c', 'echo'], inline('-c', 'echo')],
    ['sh', ['sh', '-ec', 'echo'], inline('-c', 'echo')],
    ['bash', ['bash', '-lc', 'echo', 'name'], inline('-c', 'echo')],
    ['bash', ['bash', '--rcfile', 'rc', 'x.sh'], script('x.sh')],
    ['bash', ['bash', '-o', 'pipefail', 'x.sh'], script('x.sh')],
    ['bash', ['bash', '+o', 'posix', 'x.sh'], script('x.sh')],
    ['sh', ['sh'], stdin],
    ['sh', ['sh', '-'], stdin],
    ['sh', ['sh', '-s', 'argument'], stdin],
    ['sh', ['sh', '-x'], stdin],
    ['sh', ['sh', '--', 'x.sh'], script('x.sh')],
    ['sh', ['sh', '--'], stdin],
    ['sh', ['sh', '-c'], inline('-c', '')],
    ['sh', ['sh', '--version'], none],
    ['node', ['node', 'x.js'], script('x.js')],
    ['node', ['node', '-e', 'code'], inline('-e', 'code')],
    ['node', ['node', '--eval=code'], inline('--eval', 'code')],
    ['node', ['node', '-p', 'code'], inline('-p', 'code')],
    ['node', ['node', '-pe', 'code'], inline('-pe', 'code')],
    ['node', ['node', '--require', 'a', 'x.js'], script('x.js')],
    ['node', ['node', '--import=a', 'x.js'], script('x.js')],
    ['node', ['node', '--import', 'a', 'x.js'], script('x.js')],
    ['node', ['node', '--inspect', 'x.js'], script('x.js')],
    ['node', ['node', '-v'], none],
    ['node', ['node', '-'], stdin],
    ['node', ['node'], stdin],
    ['python', ['python3', 'x.py'], script('x.py')],
    ['python', ['python3', '-c', 'code'], inline('-c', 'code')],
    ['python', ['python3', '-ccode'], inline('-c', 'code')],
    ['python', ['python3', '-Ic', 'code'], inline('-c', 'code')],
    ['python', ['python3', '-m', 'http.server'], module('-m', 'http.server')],
    ['python', ['python3', '-mhttp.server'], module('-m', 'http.server')],
    ['python', ['python3', '-um', 'http.server'], module('-m', 'http.server')],
    ['python', ['python3', '-X', 'dev', 'x.py'], script('x.py')],
    ['python', ['python3', '-u', 'x.py'], script('x.py')],
    ['python', ['python3', '-V'], none],
    ['perl', ['perl', '-e', 'code'], inline('-e', 'code')],
    ['perl', ['perl', '-ne', 'code'], inline('-e', 'code')],
    ['perl', ['perl', 'x.pl'], script('x.pl')],
    ['ruby', ['ruby', '-r', 'lib', 'x.rb'], script('x.rb')],
    ['ruby', ['ruby', '-e', 'code'], inline('-e', 'code')],
    ['git', ['git', 'status'], none],
  ];
  for (const [name, argv, expected] of cases)
    assert.deepEqual(interpreterInput(name, argv), expected, argv.join(' '));
});

/** An option that takes a value must not make its value the script, nor hide the code behind it. */
test('options with values', () => {
  const cases: [string, string[], object][] = [
    ['node', ['node', '--title', 'x', '-e', 'code'], { kind: 'inline', option: '-e', text: 'code' }],
    ['node', ['node', '-C', 'development', 'x.js'], { kind: 'script', path: 'x.js' }],
    ['python', ['python3', '-W', 'ignore', '-c', 'code'], { kind: 'inline', option: '-c', text: 'code' }],
    ['bash', ['bash', '-O', 'extglob', '-c', 'code'], { kind: 'inline', option: '-c', text: 'code' }],
  ];
  for (const [name, argv, expected] of cases)
    assert.deepEqual(interpreterInput(name, argv), expected, argv.join(' '));
});

test('package runners', () => {
  const cases: [string[], string | undefined][] = [
    [['npx', '-y', '@scope/name@1.2', 'argument'], '@scope/name@1.2'],
    [['/usr/bin/npx', 'name'], 'name'],
    [['node', '/usr/lib/node_modules/npm/bin/npx-cli.js', '--yes', 'name'], 'name'],
    [['npx', '-p', 'package', 'command'], 'package'],
    [['npx', '--package=package', 'command'], 'package'],
    [['uvx', '--from', 'package', 'command'], 'package'],
    [['uvx', '--from=package', 'command'], 'package'],
    [['bunx', 'name'], 'name'],
    [['npx'], undefined],
    [['npm', 'exec', 'name'], undefined],
    [['node', 'server.js', 'npx'], undefined],
  ];
  for (const [argv, name] of cases) assert.equal(runnerPackage(argv), name, argv.join(' '));
});
