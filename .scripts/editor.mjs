import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { checkReachable, giveTo, prepareDataDir } from './editorFolder.mjs';
import { endProcesses, readProcess, waitFor } from './processes.mjs';
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
 * @property {boolean} [workspaceTrust] true: folders are untrusted until a person trusts them; absent = all are trusted
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
 * @property {() => Promise<void>} quit ends the server alone, as its owner would (SIGTERM); what outlives it stays
 * @property {() => Promise<void>} stop ends everything that was started and makes sure of it
 */

const START_TIMEOUT_MS = 60_000;

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
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  if (address === null || typeof address === 'string') throw new Error('A TCP server has an address.');
  return address.port;
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

  const mark = `KINWATCH_EDITOR_RUN=${randomUUID()}`;
  const [markName = '', markValue = ''] = mark.split('=');
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !FOREIGN_VARIABLE.test(name)),
  );
  // prettier-ignore
  const args = [
    editor.entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`,
    '--user-data-dir', join(dataDir, 'data'), '--extensions-dir', join(dataDir, 'extensions'),
    '--disable-telemetry', '--disable-update-check', '--reconnection-grace-time', '2',
    ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
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
      [markName]: markValue,
    },
    // In a session of its own: Ctrl-C reaches the script alone, which then ends everything in order.
    detached: true,
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
  const stop = () => endProcesses({ roots: identity ? [identity] : [], environment: [mark] });
  const quit = async () => {
    if (identity && readProcess(identity.pid)?.startTicks === identity.startTicks) child.kill('SIGTERM');
    await ended;
  };

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
    quit,
    stop,
  };
}
