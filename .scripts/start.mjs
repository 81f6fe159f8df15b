/** `npm start`: Kinwatch in an editor, or with `-- --terminal` in this terminal, on a sample project. */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { editorCacheDir, ensureBrowserEditor, startBrowserEditor } from './editor.mjs';
import { endProcesses, readProcess } from './processes.mjs';
import { endSample, makeSample } from './sample.mjs';
import { SetupError } from './setupError.mjs';

const repoDir = dirname(dirname(fileURLToPath(import.meta.url)));
const DEFAULT_PORT = 8437;
const USAGE = `usage: npm start                        VS Code when "code" is on PATH, else the editor in the browser
       npm start -- --browser           the editor in the browser
       npm start -- --terminal [ARG…]   no editor: questions are asked in this terminal`;

/** @typedef {import('./sample.mjs').Sample} Sample */
/**
 * What was opened, until it ends.
 * @typedef {{ ended: Promise<number>, stop: () => Promise<void> }} Opened `ended` gives the exit status
 */

/** @param {string} what @param {string[]} args */
function runNpm(what, args) {
  console.log(`${what}: npm ${args.join(' ')}`);
  const { status, signal, error } = spawnSync('npm', args, { cwd: repoDir, stdio: 'inherit' });
  if (status === 0) return;
  throw new SetupError(
    'install',
    `"npm ${args.join(' ')}" failed (${error?.message ?? signal ?? `status ${status}`}).`,
    'What it printed above says why; run it by itself to try again.',
  );
}

/** npm writes node_modules/.package-lock.json last, so that an interrupted install is repeated. */
function isInstalled() {
  const installed = join(repoDir, 'node_modules', '.package-lock.json');
  return (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(join(repoDir, 'package-lock.json')).mtimeMs
  );
}

function readPort() {
  const text = process.env['KINWATCH_PORT'];
  if (!text) return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new SetupError(
    'port',
    `KINWATCH_PORT is "${text}", which is no port.`,
    'Set it to a number from 1 to 65535, or unset it.',
  );
}

/** @returns {string | undefined} the desktop editor's command; undefined: none that could open a window here */
function findDesktopEditor() {
  // In the terminal of a remote window "code" only talks to the window that is open; without a display it ends at once.
  if (process.env['VSCODE_IPC_HOOK_CLI']) return undefined;
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'])
    return undefined;
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((dir) => join(dir, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false; // not in this folder
      }
    });
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<number>} as a shell would give it */
function exitStatus(child) {
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => done(code ?? 128 + osConstants.signals[signal ?? 'SIGTERM']));
  });
}

/** @param {string} command @param {Sample} sample @returns {Opened} */
function openDesktopEditor(command, { dir, home, workspace }) {
  const [userDataDir, extensionsDir] = [join(dir, 'editor', 'data'), join(dir, 'editor', 'extensions')];
  for (const path of [userDataDir, extensionsDir]) mkdirSync(path, { recursive: true });
  const args = [
    '--wait',
    '--new-window',
    `--extensionDevelopmentPath=${repoDir}`,
    '--user-data-dir',
    userDataDir,
    '--extensions-dir',
    extensionsDir,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    workspace,
  ];
  const child = spawn(command, args, {
    env: { ...process.env, KINWATCH_HOME: home },
    stdio: 'inherit',
    detached: true,
  });
  const identity = child.pid === undefined ? undefined : readProcess(child.pid);
  console.log('VS Code opens a window of its own. Closing it, or Ctrl-C here, ends everything.');
  const marks = { environment: [`KINWATCH_HOME=${home}`], argument: dir };
  return {
    ended: exitStatus(child),
    stop: () => endProcesses({ roots: identity ? [identity] : [], ...marks }),
  };
}

/** @param {Sample} sample @returns {Promise<Opened>} */
async function openBrowserEditor({ dir, home, workspace }) {
  const port = readPort();
  const editor = await ensureBrowserEditor({ cacheDir: editorCacheDir(repoDir), log: console.log });
  const running = await startBrowserEditor({
    editor,
    port,
    extensionDir: repoDir,
    workspace,
    dataDir: join(dir, 'editor'),
    log: () => undefined,
    env: { KINWATCH_HOME: home },
  });
  console.log(
    `\nKinwatch is ready. Open this in a browser on this machine:\n\n    ${running.url}\n\nCtrl-C ends everything.`,
  );
  return { ended: running.ended.then(() => 0), stop: running.stop };
}

/** @param {string[]} args @param {Sample} sample @returns {Opened} */
function openTerminal(args, { home }) {
  const program = join(repoDir, 'out', 'terminal', 'terminal.js');
  if (!existsSync(program)) {
    throw new SetupError(
      'start',
      `${program} is missing after the build.`,
      'Look at what "npm run build" says about out/terminal.',
    );
  }
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, KINWATCH_HOME: home },
    stdio: 'inherit',
  });
  const identity = child.pid === undefined ? undefined : readProcess(child.pid);
  return { ended: exitStatus(child), stop: () => endProcesses({ roots: identity ? [identity] : [] }) };
}

/**
 * @param {boolean} isTerminal Ctrl-C reaches the terminal program too, which ends by itself and says with what status
 * @returns {Promise<'asked to end'>}
 */
function askedToEnd(isTerminal) {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => (isTerminal && signal === 'SIGINT' ? undefined : done('asked to end')));
    }
    // npm hands SIGTERM only to the shell between it and this script, which then dies and says nothing.
    const parent = process.ppid;
    if (process.env['npm_lifecycle_event'] === undefined) return;
    setInterval(() => (process.ppid === parent ? undefined : done('asked to end')), 500).unref();
  });
}

/** @param {string[]} argv @returns {Promise<number>} exit status */
async function main(argv) {
  const isTerminal = argv[0] === '--terminal';
  if (!isTerminal && argv.some((argument) => argument !== '--browser')) {
    console.error(USAGE);
    return 2;
  }
  if (!isInstalled()) runNpm('Installing what package-lock.json names', ['ci']);
  runNpm('Building', ['run', 'build']);
  if (process.getuid?.() === 0) {
    console.log(
      'Running as root: every file counts as writable for the programs shown, so Kinwatch asks more than it would ask you.',
    );
  }

  const asked = askedToEnd(isTerminal);
  const sample = makeSample(repoDir);
  /** @type {Opened | undefined} */
  let opened;
  try {
    const desktop = argv.includes('--browser') ? undefined : findDesktopEditor();
    if (isTerminal) opened = openTerminal(argv.slice(1), sample);
    else opened = desktop ? openDesktopEditor(desktop, sample) : await openBrowserEditor(sample);
    const outcome = await Promise.race([opened.ended, asked]);
    return outcome === 'asked to end' ? 0 : outcome;
  } finally {
    await opened?.stop();
    await endSample(sample);
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
