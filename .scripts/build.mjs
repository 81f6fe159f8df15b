/** `npm run build`: one bundle per process into dist/, and the command that launches them. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
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
  // jsonc-parser's main file is UMD, which a bundler cannot follow.
  mainFields: ['module', 'main'],
  // ps-list asks for its own address to find a Windows helper.
  define: { 'import.meta.url': '__importMetaUrl' },
  banner: { js: "const __importMetaUrl = require('url').pathToFileURL(__filename).href;" },
  minifySyntax: production,
  sourcemap: production ? false : 'inline',
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * What the supervisor loads later, or only for some starts, is a bundle of its own: compiling one file with everything
 * took a third of the main thread's time before the threads were even started.
 */
const loadedLater = new Map([
  ['src/supervisor/main.ts', 'supervisorMain.js'],
  ['src/protocol/config.ts', 'servers.js'],
]);

/** @type {import('esbuild').BuildOptions} */
const supervisor = {
  ...node,
  // Loaded with require: import() would start Node's loader for modules, which nothing else needs.
  supported: { 'dynamic-import': false },
  plugins: [
    {
      name: 'loaded later',
      setup: (bundling) =>
        // The flag u, which lint asks for, is none of the language that esbuild reads this in.
        // oxlint-disable-next-line require-unicode-regexp
        bundling.onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
          const bundle = loadedLater.get(relative(root, resolve(resolveDir, path)));
          return kind === 'dynamic-import' && bundle !== undefined
            ? { path: `./${bundle}`, external: true }
            : undefined;
        }),
    },
  ],
};

// Nothing is removed first: a running Kinwatch may be about to load what lies there.
mkdirSync(join(dist, 'webview'), { recursive: true });

await Promise.all([
  ...['extension', 'desk', 'cli', 'doctor'].map((name) =>
    build({ ...node, entryPoints: [`src/${name}.ts`], outfile: `dist/${name}.js` }),
  ),
  ...['supervisor', 'supervisorWatch', 'supervisorSpawner', 'supervisorConnector'].map((name) =>
    build({ ...supervisor, entryPoints: [`src/${name}.ts`], outfile: `dist/${name}.js` }),
  ),
  ...[...loadedLater].map(([source, bundle]) =>
    build({ ...supervisor, entryPoints: [source], outfile: `dist/${bundle}` }),
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

await build({
  ...node,
  entryPoints: ['.scripts/terminal.ts'],
  outfile: 'out/terminal/terminal.js',
  // Runs from the checkout only: the client's library stays where npm put it.
  packages: 'external',
});

const template = readFileSync(join(root, 'src/shim/kinwatch.sh'), 'utf8');
copyFileSync(join(root, 'src/shim/kinwatch.sh'), join(dist, 'kinwatch.in'));
writeAtomically(
  join(dist, 'kinwatch'),
  template
    .replace('@NODE@', quoted(process.execPath))
    .replace('@DIST@', quoted(dist))
    .replace('@ENV@', quoted(tool('env')))
    .replace('@SETSID@', quoted(tool('setsid')))
    .replace('@ELECTRON@', "''"),
);

if (process.argv.includes('--sizes')) {
  for (const file of [
    'extension.js',
    'desk.js',
    'supervisor.js',
    'supervisorMain.js',
    'servers.js',
    'supervisorWatch.js',
    'supervisorSpawner.js',
    'supervisorConnector.js',
    'doctor.js',
    'cli.js',
    'webview/main.js',
    'webview/main.css',
  ]) {
    const path = join(dist, file);
    if (existsSync(path))
      console.log(`${file.padEnd(18)} ${(statSync(path).size / 1024).toFixed(1).padStart(8)} KiB`);
  }
}

/** A shell reads its script as it runs: the file is replaced whole. @param {string} path @param {string} text */
function writeAtomically(path, text) {
  writeFileSync(`${path}.new`, text, { mode: 0o755 });
  chmodSync(`${path}.new`, 0o755);
  renameSync(`${path}.new`, path);
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param {string} name */
function tool(name) {
  return [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path)) ?? '';
}
