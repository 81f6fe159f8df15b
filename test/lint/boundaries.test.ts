/** The walls between the rooms hold: a forbidden import is planted for every folder rule, and the linter refuses it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

interface Override {
  readonly files: readonly string[];
  readonly rules: Readonly<Record<string, unknown>>;
}

interface Restrictions {
  readonly paths?: readonly { readonly name: string }[];
  readonly patterns?: readonly { readonly group: readonly string[] }[];
}

const config = JSON.parse(readFileSync('.oxlintrc.json', 'utf8')) as { overrides: readonly Override[] };

/** `src/core/**` → `src/core`. */
const rooms = new Map(
  config.overrides.flatMap(({ files, rules }) => {
    const rule = rules['no-restricted-imports'];
    return Array.isArray(rule)
      ? files.map((glob): [string, Restrictions] => [glob.replace(/\/\*\*.*$/u, ''), rule[1] as Restrictions])
      : [];
  }),
);

/** Something that the pattern is meant to catch, as a file of that room would write it. */
function specifier(pattern: string): string {
  if (pattern.startsWith('node:')) return 'node:fs';
  if (pattern.startsWith('@')) return pattern.replace('/*', '/dist');
  if (pattern === '**/src/*.ts') return '../../src/desk.ts';
  return pattern.replace(/^\*\*\//u, '../../').replace(/\/\*\*$/u, '/x.ts');
}

interface Plant {
  readonly file: string;
  readonly text: string;
  /** Undefined: it must pass. */
  readonly rule: string | undefined;
}

const plants: Plant[] = [];
const plant = (room: string, text: string, rule: string | undefined): void => {
  plants.push({ file: `${room}/deep/planted${plants.length}.ts`, text, rule });
};
const importing = (from: string): string => `import { x } from '${from}';\nexport const y = x;\n`;

for (const [room, { paths = [], patterns = [] }] of rooms) {
  if (room.endsWith('.ts')) continue;
  for (const { name } of paths) plant(room, importing(name), 'no-restricted-imports');
  for (const from of new Set(patterns.flatMap(({ group }) => group.map(specifier))))
    plant(room, importing(from), 'no-restricted-imports');
}
// What must stay possible: down, beside, and outside where the room may.
plant('src/core', importing('../facts.ts'), undefined);
plant('src/protocol', importing('../../core/facts.ts'), undefined);
plant('src/protocol', importing('zod'), undefined);
plant('src/kernel', importing('koffi'), undefined);
plant('src/watch', importing('../../kernel/libc.ts'), undefined);
plant('src/contain', importing('../../watch/proc.ts'), undefined);
plant('src/supervisor', importing('../../contain/end.ts'), undefined);
plant('src/desk', importing('../../journal/record.ts'), undefined);
plant('src/journal', importing('../../protocol/desk.ts'), undefined);
plant('src/editor', importing('vscode'), undefined);
plant('src/editor', importing('../../protocol/desk.ts'), undefined);
plant('src/cli', importing('../../protocol/desk.ts'), undefined);
plant('webview', importing('../../src/protocol/panel.ts'), undefined);
// core is pure: no clock, no randomness, no process, no text of time either.
for (const text of [
  'new Date()',
  'Date.now()',
  'performance.now()',
  'process.pid',
  'Buffer.alloc(1)',
  'setTimeout(Object, 1)',
  'fetch("x")',
  'crypto.randomUUID()',
  'globalThis.Date.now()',
]) {
  plant('src/core', `export const y: unknown = ${text};\n`, 'no-restricted-globals');
}
plant('src/core', 'export const y = Math.random();\n', 'no-restricted-properties');
plant('src/core', "export const y: unknown = require('fs');\n", 'no-restricted-globals');
plant('src/core', importing('fs'), 'prefer-node-protocol');
// Whatever the form of the import.
for (const text of [
  "export const y = import('node:fs');\n",
  "export { readFileSync } from 'node:fs';\n",
  "export * from '../../desk/x.ts';\n",
  "import type { X } from '../../desk/x.ts';\nexport type Y = X;\n",
]) {
  plant('src/core', text, 'no-restricted-imports');
}
plant('src/core', 'export const y = Math.max(1, 2);\n', undefined);
plant('src/desk', 'export const y = Date.now();\n', undefined);

test('every wall, with something thrown against it', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'kwl-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, '.oxlintrc.json'), readFileSync('.oxlintrc.json'));
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  for (const { file, text } of plants) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const { stdout, stderr } = spawnSync(resolve('node_modules/.bin/oxlint'), ['--format=json', '.'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.ok(stdout.startsWith('{'), stderr);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly { code: string; filename: string }[];
  };
  const found = new Map<string, string[]>();
  for (const { code, filename } of diagnostics) found.set(filename, [...(found.get(filename) ?? []), code]);
  for (const { file, text, rule } of plants) {
    const codes = (found.get(file) ?? []).filter(
      (code) => code.includes('no-restricted-') || code.includes('node-protocol'),
    );
    if (rule === undefined) assert.deepEqual(codes, [], `${file} is allowed: ${text}`);
    else
      assert.ok(
        codes.some((code) => code.includes(rule)),
        `${file} must be refused (${rule}): ${text}`,
      );
  }
  t.diagnostic(
    `${rooms.size} rooms, ${plants.filter(({ rule }) => rule !== undefined).length} forbidden, ${plants.filter(({ rule }) => rule === undefined).length} allowed`,
  );
});

test('every room of the source has walls', () => {
  for (const room of [
    'core',
    'protocol',
    'kernel',
    'watch',
    'contain',
    'supervisor',
    'desk',
    'journal',
    'editor',
    'cli',
  ]) {
    assert.ok(rooms.has(`src/${room}`), room);
  }
  assert.ok(rooms.has('webview'));
});
