import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandVariables } from '../../../src/core/policy/variables.ts';

const client = new Map([
  ['HERE', '/srv/here'],
  ['EMPTY', ''],
  ['GITHUB_TOKEN', 'hunter2'],
  ['VSCODE_PID', '1'],
]);
const text = (written: string, onCommandLine = false): string => {
  const result = expandVariables(written, client, onCommandLine);
  return result.kind === 'text' ? result.text : `fault: ${result.fault}`;
};

test('field case 41: a variable is replaced, or the start stops and names it; never the literal, never empty', () => {
  assert.equal(text('a ${HERE}/b ${env:HERE}'), 'a /srv/here/b /srv/here');
  assert.equal(text('${NOPE:-/d} ${EMPTY:-e} ${env:NOPE:-f} ${HERE:-g}'), '/d e f /srv/here');
  for (const [written, said] of [
    ['${NOPE}', /^fault: holds \$\{NOPE\}, and NOPE is not set where the client runs; set it there/u],
    ['x${env:NOPE}', /^fault: holds \$\{env:NOPE\}, and NOPE is not set/u],
    ['${EMPTY}', /EMPTY is empty where the client runs/u],
    ['${NOPE:-}', /NOPE is not set/u],
    [
      '${input:x}',
      /holds \$\{input:x\}, and Kinwatch asks for no inputs; set a variable .* write \$\{env:NAME\}/u,
    ],
    ['${command:x}', /Kinwatch knows no command variables/u],
    ['${workspaceFolder}', /workspaceFolder is not set/u],
    ['${}', /holds \$\{\}, and that names no variable/u],
    ['${a b}', /names no variable/u],
    ['${VSCODE_PID}', /VSCODE_PID belongs to the editor/u],
  ] as const) {
    assert.match(text(written), said);
  }
});

test('what is no reference stays as it was written', () => {
  for (const written of ['$HOME', '$5', '~', '%APPDATA%', '{x}', '$', 'a$b', '${HERE'])
    assert.equal(text(written), written);
});

test('a value is put in as it is, once', () => {
  const nested = new Map([
    ['A', '${B} $& $1'],
    ['B', 'x'],
  ]);
  assert.deepEqual(expandVariables('<${A}>', nested, false), { kind: 'text', text: '<${B} $& $1>' });
});

test('a credential goes into env, not onto a command line', () => {
  assert.equal(text('${GITHUB_TOKEN}'), 'hunter2');
  assert.match(
    text('--token=${GITHUB_TOKEN}', true),
    /GITHUB_TOKEN looks like a credential; .* pass it in env/u,
  );
  assert.doesNotMatch(text('--token=${GITHUB_TOKEN}', true), /hunter2/u);
});
