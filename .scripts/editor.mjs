import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { RUN_MARKER, endProcesses, readProcess, waitFor } from './processes.mjs';
import { SetupError } from './setupError.mjs';

export { editorCacheDir, ensureBrowserEditor } from './installEditor.mjs';

/** @typedef {import('./installEditor.mjs').InstalledEditor} InstalledEditor */
/** @typedef {import('./processes.mjs').ProcessIdentity} ProcessIdentity */

/**
 * @typedef {object} EditorOptions
 * @property {InstalledEditor} editor
 * @property {number} port on 127.0.0.1; 0 = any free one
 * @property {string} extensionDir an unpacked extension (its package.json names publisher, name, version); linked, not copied
 * @property {string[]} [moreExtensionDirs] further ones; absent = none
 * @property {string} workspace absolute path of the folder to open
 * @property {string} dataDir the run's own folder: settings, extensions, home and the log. Made when absent; starting
 *   again with the same one is a restart of the same editor
 * @property {Record<string, string>} [env] added to the editor's environment
 * @property {Record<string, unknown>} [settings] user settings beside the ones the run needs
 * @property {Record<string, unknown>} [userFiles] JSON files beside the user settings, by name
 * @property {number} [uid] run as this user (needs root); absent = as the current one
 * @property {number} [gid]
 * @property {(line: string) => void} [log]
 */

/**
 * @typedef {object} RunningEditor
 * @property {string} url opens the workspace
 * @property {ProcessIdentity} process the process that was started; everything else descends from it
 * @property {string} logFile what the server printed
 * @property {Promise<void>} ended settles when the server has ended, whoever ended it
 * @property {() => Promise<void>} stop ends everything that was started and makes sure of it
 */

const START_TIMEOUT_MS = 60_000;

const SETTINGS = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'telemetry.telemetryLevel': 'off',
  // Never chat.disableAIFeatures: it removes the MCP commands.
};

/** What an editor around this one, or npm, would say about itself and this one would believe. */
const FOREIGN_VARIABLE =
  /^(VSCODE_|ELECTRON_|npm_|CODE_SERVER_|NODE_OPTIONS$|PASSWORD$|HASHED_PASSWORD$|PORT$|INIT_CWD$)/;

/** @param {number} port @returns {Promise<number>} the port, or a free one for 0 */
async function claimPort(port) {
  const probe = createServer();
  const outcome = await new Promise((done) => {
    probe.once('error', (error) => done(error));
    probe.listen(port, '127.0.0.1', () => done(undefined));
  });
  if (outcome !== undefined) {
    const inUse = outcome.code === 'EADDRINUSE';
    throw new SetupError(
      'port',
      inUse
        ? `Port ${port} of 127.0.0.1 is taken by another program.`
        : `Port ${port} cannot be used (${outcome.message}).`,
      'Set KINWATCH_PORT to a free port, or end the program that listens there (an earlier run?).',
      { cause: outcome },
    );
  }
  const address = /** @type {import('node:net').AddressInfo} */ (probe.address());
  await new Promise((done) => probe.close(done));
  return address.port;
}

/**
 * Another user than the one who made a folder must be able to walk into it.
 * @param {string} path
 * @param {number} uid
 * @param {number} gid
 */
function checkReachable(path, uid, gid) {
  for (let dir = resolve(path); ; dir = dirname(dir)) {
    const { mode, uid: owner, gid: group } = statSync(dir);
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if (statSync(dir).isDirectory() && (mode & bit) === 0) {
      throw new SetupError(
        'access',
        `${path} cannot be reached by user ${uid}: ${dir} is closed to it (mode ${(mode & 0o7777).toString(8)}).`,
        'Put it where every user may enter, or give KINWATCH_EDITOR_CACHE such a place if it is the editor.',
      );
    }
    if (dir === dirname(dir)) return;
  }
}

/** @param {string} path @param {number} uid @param {number} gid */
function giveTo(path, uid, gid) {
  lchownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), uid, gid);
}

/**
 * Lays out the run's own folder. Extensions are only put into an empty extensions folder: the editor keeps its own
 * list beside them from then on.
 * @param {EditorOptions} options
 */
function prepareDataDir({ dataDir, extensionDir, moreExtensionDirs = [], settings = {}, userFiles = {} }) {
  const userDir = join(dataDir, 'data', 'User');
  const extensionsDir = join(dataDir, 'extensions');
  for (const dir of [
    userDir,
    extensionsDir,
    ...['home', 'config', 'share', 'tmp'].map((name) => join(dataDir, name)),
  ]) {
    mkdirSync(dir, { recursive: true });
  }
  if (readdirSync(userDir).length === 0) {
    const files = { ...userFiles, 'settings.json': { ...SETTINGS, ...settings } };
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(userDir, name), `${JSON.stringify(content, undefined, 2)}\n`);
    }
  }
  if (readdirSync(extensionsDir).length > 0) return;
  for (const dir of [extensionDir, ...moreExtensionDirs]) {
    const { publisher, name, version } = readManifest(dir);
    symlinkSync(resolve(dir), join(extensionsDir, `${publisher}.${name}-${version}`));
  }
}

/** @param {string} dir @returns {{ publisher: string, name: string, version: string }} */
function readManifest(dir) {
  try {
    return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  } catch (cause) {
    throw new SetupError(
      'start',
      `${dir} is not an unpacked extension: its package.json cannot be read.`,
      "Name the folder that holds the extension's package.json.",
      { cause },
    );
  }
}

/** @param {string} file */
function lastLines(file) {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .slice(-12)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** @param {string} url */
async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false; // nobody listens yet
  }
}

/**
 * Starts the browser editor and waits until it answers.
 * @param {EditorOptions} options
 * @returns {Promise<RunningEditor>}
 * @throws {SetupError} `port`, `access`, `start`
 */
export async function startBrowserEditor(options) {
  const { editor, workspace, dataDir, env = {}, uid, gid = uid, log = console.error } = options;
  const port = await claimPort(options.port);
  prepareDataDir(options);
  const logFile = join(dataDir, 'code-server.log');
  const logFd = openSync(logFile, 'a');
  if (uid !== undefined && gid !== undefined) {
    giveTo(dataDir, uid, gid);
    const places = [
      editor.entry,
      workspace,
      dataDir,
      options.extensionDir,
      ...(options.moreExtensionDirs ?? []),
    ];
    for (const path of places) checkReachable(path, uid, gid);
  }

  const marker = randomUUID();
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !FOREIGN_VARIABLE.test(name)),
  );
  const args = [
    ...[editor.entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
    ...['--user-data-dir', join(dataDir, 'data'), '--extensions-dir', join(dataDir, 'extensions')],
    ...[
      '--disable-telemetry',
      '--disable-update-check',
      '--disable-workspace-trust',
      '--reconnection-grace-time',
      '2',
    ],
    workspace,
  ];
  const child = spawn(editor.node, args, {
    cwd: workspace,
    env: {
      ...inherited,
      HOME: join(dataDir, 'home'),
      XDG_CONFIG_HOME: join(dataDir, 'config'),
      XDG_DATA_HOME: join(dataDir, 'share'),
      TMPDIR: join(dataDir, 'tmp'),
      ...env,
      [RUN_MARKER]: marker,
    },
    stdio: ['ignore', logFd, logFd],
    ...(uid === undefined ? {} : { uid, gid }),
  });
  closeSync(logFd);
  /** @type {string | undefined} */
  let endedBecause;
  /** @type {Promise<void>} */
  const ended = new Promise((done) => {
    child.once('error', (error) => done(void (endedBecause = error.message)));
    child.once('exit', (code, signal) =>
      done(void (endedBecause = `it ended with ${signal ?? `status ${code}`}`)),
    );
  });
  const identity = child.pid === undefined ? undefined : readProcess(child.pid);
  const stop = () => endProcesses({ roots: identity ? [identity] : [], marker });

  const origin = `http://127.0.0.1:${port}`;
  const up = await waitFor(
    async () => endedBecause !== undefined || answers(`${origin}/healthz`),
    START_TIMEOUT_MS,
  );
  if (!up || endedBecause !== undefined || identity === undefined) {
    await stop();
    throw new SetupError(
      'start',
      `The browser editor did not start: ${endedBecause ?? `no answer from ${origin} in ${START_TIMEOUT_MS / 1000} s`}.\n${lastLines(logFile)}`,
      `Read ${logFile}. If the install is damaged, remove ${basename(dirname(editor.dir))}/${basename(editor.dir)} and run this again.`,
    );
  }
  log(`The browser editor answers at ${origin} (log: ${logFile}).`);
  return {
    url: `${origin}/?folder=${encodeURIComponent(workspace)}`,
    process: { pid: identity.pid, startTicks: identity.startTicks },
    logFile,
    ended,
    stop,
  };
}
