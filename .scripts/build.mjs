/** `npm run build`: one bundle per process into dist/, and the command that launches them. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const production = !process.argv.includes('--dev');

/** @type {import('esbuild').BuildOptions} */
const node = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode', 'koffi'],
  // ps-list asks for its own address to find a Windows helper.
  define: { 'import.meta.url': '__importMetaUrl' },
  banner: { js: "const __importMetaUrl = require('url').pathToFileURL(__filename).href;" },
  minifySyntax: production,
  sourcemap: production ? false : 'inline',
  legalComments: 'none',
  logLevel: 'warning',
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, 'webview'), { recursive: true });

await Promise.all([
  ...['extension', 'desk', 'supervisor', 'cli'].map((name) =>
    build({ ...node, entryPoints: [`src/${name}.ts`], outfile: `dist/${name}.js` }),
  ),
  build({
    absWorkingDir: root,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    entryPoints: ['webview/main.ts'],
    outfile: 'dist/webview/main.js',
    minify: production,
    legalComments: 'none',
    logLevel: 'warning',
  }),
]);

const template = readFileSync(join(root, 'src/shim/kinwatch.sh'), 'utf8');
copyFileSync(join(root, 'src/shim/kinwatch.sh'), join(dist, 'kinwatch.in'));
writeFileSync(
  join(dist, 'kinwatch'),
  template
    .replace('@NODE@', quoted(process.execPath))
    .replace('@DIST@', quoted(dist))
    .replace('@ENV@', quoted(tool('env')))
    .replace('@SETSID@', quoted(tool('setsid')))
    .replace('@ELECTRON@', "''"),
);
chmodSync(join(dist, 'kinwatch'), 0o755);

if (process.argv.includes('--sizes')) {
  for (const file of [
    'extension.js',
    'desk.js',
    'supervisor.js',
    'cli.js',
    'webview/main.js',
    'webview/main.css',
  ]) {
    const path = join(dist, file);
    if (existsSync(path))
      console.log(`${file.padEnd(18)} ${(statSync(path).size / 1024).toFixed(1).padStart(8)} KiB`);
  }
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param {string} name */
function tool(name) {
  return [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path)) ?? '';
}
