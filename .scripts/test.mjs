/**
 * `npm test [lint|unit|process|conformance|e2e]…`: lint and types, unit tests, process tests against real programs,
 * the official conformance suite bare and supervised, and the end-to-end test in a real editor. Without an argument:
 * all of it, in that order.
 *
 * As root, all but the last run as a scratch user: rights matter, and to root every file is writable.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
  console.error(`${what}: failed (${error?.message ?? signal ?? `exit ${status}`}), ${seconds} s`);
  process.exit(1);
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

if (wants('lint')) {
  run('lint', 'npm', ['run', '--silent', 'lint']);
  run('types', 'npm', ['run', '--silent', 'types']);
}
if (['unit', 'process', 'conformance', 'e2e'].some(wants)) {
  run('build', process.execPath, ['.scripts/build.mjs', '--sizes']);
  const tests = (await compileTests()).filter((name) => name.endsWith('.test.mjs'));
  const inFolder = (/** @type {string} */ folder) =>
    tests.filter((name) => name.startsWith(`out/test/${folder}/`));
  const unit = tests.filter((name) => !/^out\/test\/(?:process|conformance|e2e)\//u.test(name));
  const checkout = readableCheckout();
  try {
    if (wants('unit')) runTests('unit tests', unit, checkout.directory);
    // One at a time: they start families of their own and measure waiting.
    if (wants('process'))
      runTests('process tests', inFolder('process'), checkout.directory, ['--test-concurrency=1']);
    if (wants('conformance')) {
      process.env['KINWATCH_CONFORMANCE_NODE'] = await suiteNode(checkout.directory);
      runTests('conformance', inFolder('conformance'), checkout.directory, ['--test-concurrency=1']);
    }
  } finally {
    checkout.done();
  }
  // The editor's driver drops to the scratch user itself; the browser may stay root.
  if (wants('e2e'))
    run('end-to-end test', process.execPath, ['--test', '--test-concurrency=1', ...inFolder('e2e')]);
}
