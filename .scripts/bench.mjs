/**
 * `npm run bench [-- NAME…]`: the hot paths, as ratios taken in one run; all of them, or those named (`relay`). As root
 * it runs as a scratch user, like the tests.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratchUid = 23917;
const wanted = process.argv.slice(2);
const names = readdirSync(join(root, 'test', 'bench')).filter(
  (name) =>
    name.endsWith('.bench.ts') &&
    (wanted.length === 0 || wanted.includes(name.slice(0, -'.bench.ts'.length))),
);
if (names.length === 0) throw new Error(`no bench is named ${wanted.join(' or ')}`);
const fixtures = readdirSync(join(root, 'test', 'fixtures')).filter((name) => name.endsWith('.ts'));

spawnSync(process.execPath, [join(root, '.scripts', 'build.mjs')], { cwd: root, stdio: 'inherit' });
for (const [from, entries, to] of [
  ['test/bench', names, 'out/bench'],
  // Where the tests have them: the servers that benches and tests launch.
  ['test/fixtures', fixtures, 'out/test/fixtures'],
]) {
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((name) => `${from}/${name}`),
    outdir: to,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
}
const home = mkdtempSync(join(tmpdir(), 'kinwatch-home-'));
chmodSync(home, 0o777);
for (const name of names) {
  const file = join(root, 'out', 'bench', name.replace(/\.ts$/u, '.mjs'));
  const { status } = spawnSync(process.execPath, [file], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, HOME: home },
    ...(process.getuid?.() === 0 ? { uid: scratchUid, gid: scratchUid } : {}),
  });
  if (status !== 0) process.exitCode = 1;
}
rmSync(home, { recursive: true, force: true });
