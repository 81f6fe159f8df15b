/** `npm run bench`: the hot paths, as ratios taken in one run. As root it runs as a scratch user, like the tests. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratchUid = 23917;
const names = readdirSync(join(root, 'test', 'bench')).filter((name) => name.endsWith('.bench.ts'));

spawnSync(process.execPath, [join(root, '.scripts', 'build.mjs')], { cwd: root, stdio: 'inherit' });
await build({
  absWorkingDir: root,
  entryPoints: names.map((name) => `test/bench/${name}`),
  outdir: 'out/bench',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
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
