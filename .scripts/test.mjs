/**
 * `npm test [lint|unit|process|conformance|e2e]…`: lint and types, unit tests, process tests against real programs,
 * the official conformance suite bare and supervised, and the end-to-end test in a real editor. Without an argument:
 * all of it, in that order.
 *
 * As root, unit, process and conformance tests run as a scratch user: rights matter, and to root every file is writable.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { suiteNode } from './conformance.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** No passwd entry has it; nothing else of the machine runs as it. */
const scratchUid = 23917;
const asRoot = process.getuid?.() === 0;

const steps = process.argv.slice(2);
const wants = (/** @type {string} */ step) => steps.length === 0 || steps.includes(step);

/** @param {string} what @param {string} command @param {string[]} args @param {import('node:child_process').SpawnSyncOptions} [options] */
function run(what, command, args, options = {}) {
  const started = performance.now();
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status === 0) {
    console.log(`${what}: ok, ${seconds} s`);
    return;
  }
  throw new Error(`${what}: failed (${error?.message ?? signal ?? `exit ${status}`}), ${seconds} s`);
}

/** @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.ts'));
}

async function compileTests() {
  const all = filesBelow('test').filter((name) => !name.endsWith('.d.ts'));
  const entries = all.filter(
    (name) => name.endsWith('.test.ts') || /^test\/(?:fixtures|attacks|conformance)\//u.test(name),
  );
  rmSync(join(root, 'out', 'test'), { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outbase: 'test',
    outdir: 'out/test',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return entries.map((name) => name.replace(/\.ts$/u, '.mjs').replace(/^test\//u, 'out/test/'));
}

/**
 * Where the scratch user can read the checkout: itself, or a copy when a directory above is closed.
 * @returns {{ directory: string; done: () => void }}
 */
function readableCheckout() {
  if (!asRoot) return { directory: root, done: () => undefined };
  const { status } = spawnSync('test', ['-r', join(root, 'package.json')], {
    uid: scratchUid,
    gid: scratchUid,
  });
  if (status === 0) return { directory: root, done: () => undefined };
  const directory = mkdtempSync(join(tmpdir(), 'kinwatch-checkout-'));
  chmodSync(directory, 0o755);
  for (const name of [
    'package.json',
    'node_modules',
    'dist',
    'out',
    'src',
    'test',
    '.oxlintrc.json',
    'package.nls.json',
    '.scripts',
    'tsconfig.json',
    'media',
    'webview',
  ]) {
    cpSync(join(root, name), join(directory, name), { recursive: true, verbatimSymlinks: true });
  }
  // The launcher carries absolute paths.
  spawnSync(process.execPath, [join(directory, '.scripts/build.mjs')], { cwd: directory, stdio: 'inherit' });
  return { directory, done: () => rmSync(directory, { recursive: true, force: true }) };
}

/** @param {string} what @param {string[]} files @param {string} directory @param {string[]} [options] */
function runTests(what, files, directory, options = []) {
  if (files.length === 0) throw new Error(`${what}: no test files`);
  const home = mkdtempSync(join(tmpdir(), 'kinwatch-home-'));
  chmodSync(home, 0o777);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, HOME: home };
  delete env['KINWATCH_HOME'];
  try {
    run(
      what,
      process.execPath,
      ['--test', ...options, ...files.map((name) => join(directory, relative(root, join(root, name))))],
      {
        cwd: directory,
        env,
        ...(asRoot ? { uid: scratchUid, gid: scratchUid } : {}),
      },
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** @param {string[]} tests @param {string} directory */
function runEditor(tests, directory) {
  // The editor's driver drops to the scratch user itself; the browser may stay root.
  run('end-to-end test', process.execPath, ['--test', '--test-concurrency=1', ...tests], { cwd: directory });
  const pictures = join(directory, '.screenshots');
  if (directory !== root && existsSync(pictures)) {
    cpSync(pictures, join(root, '.screenshots'), { recursive: true });
  }
}

async function main() {
  if (wants('lint')) {
    run('lint', 'npm', ['run', '--silent', 'lint']);
    run('types', 'npm', ['run', '--silent', 'types']);
  }
  if (!['unit', 'process', 'conformance', 'e2e'].some(wants)) return;
  run('build', process.execPath, ['.scripts/build.mjs', '--sizes']);
  const tests = (await compileTests()).filter((name) => name.endsWith('.test.mjs'));
  const isIn = (/** @type {string} */ folder) => (/** @type {string} */ name) =>
    name.startsWith(`out/test/${folder}/`);
  const unit = tests.filter(
    (name) => !['process', 'conformance', 'e2e'].some((folder) => isIn(folder)(name)),
  );
  const checkout = readableCheckout();
  try {
    if (wants('unit')) runTests('unit tests', unit, checkout.directory);
    // One at a time: they start families of their own and measure waiting.
    if (wants('process')) {
      runTests('process tests', tests.filter(isIn('process')), checkout.directory, ['--test-concurrency=1']);
    }
    if (wants('conformance')) {
      process.env['KINWATCH_CONFORMANCE_NODE'] = await suiteNode(checkout.directory);
      runTests('conformance', tests.filter(isIn('conformance')), checkout.directory, [
        '--test-concurrency=1',
      ]);
    }
    if (wants('e2e')) runEditor(tests.filter(isIn('e2e')), checkout.directory);
  } finally {
    checkout.done();
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
