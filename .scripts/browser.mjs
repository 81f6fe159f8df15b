import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { SetupError } from './setupError.mjs';

const VARIABLES = ['CHROME_PATH', 'KINWATCH_BROWSER'];
const COMMANDS = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];
const MAC_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];
/** Without a font package Chromium draws boxes; these two cover the workbench's text, code and symbols. */
const DEBIAN_PACKAGES = ['chromium', 'fonts-noto-core', 'fonts-dejavu-core'];

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // missing or not executable: the next place is tried
  }
}

/** @returns {string | undefined} */
function findInstalled() {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const onPath = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...onPath, ...MAC_PLACES].find(isExecutable);
}

function isDebianAsRoot() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/etc/os-release'))
    return false;
  return /^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {string | undefined} undefined when it worked, else why not
 */
function attempt(command, args) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status === 0) return undefined;
  const said =
    result.error?.message ?? `${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-4).join('\n    ');
  return `${command} ${args.join(' ')}:\n    ${said}`;
}

/** @param {(line: string) => void} log */
function installFromDebian(log) {
  log(`No browser found: installing ${DEBIAN_PACKAGES.join(', ')} with apt-get.`);
  return (
    attempt('apt-get', ['update']) ??
    attempt('apt-get', ['install', '-y', '--no-install-recommends', ...DEBIAN_PACKAGES])
  );
}

/**
 * @param {(line: string) => void} log
 * @param {string} repoDir
 * @returns {{ path: string } | { problem: string }}
 */
function installWithPlaywright(log, repoDir) {
  log("No browser found: installing Chromium with playwright's installer.");
  let cli;
  try {
    cli = createRequire(join(repoDir, 'package.json')).resolve('playwright-core/cli.js');
  } catch {
    return { problem: 'playwright-core is not installed (npm ci installs it)' };
  }
  const problem = attempt(process.execPath, [cli, 'install', 'chromium']);
  if (problem !== undefined) return { problem };
  const script = "process.stdout.write(require('playwright-core').chromium.executablePath())";
  return { path: execFileSync(process.execPath, ['-e', script], { cwd: repoDir, encoding: 'utf8' }) };
}

/**
 * A Chromium-family browser to drive: the one named by CHROME_PATH or KINWATCH_BROWSER, else one that is
 * installed, else one that is installed now. There is no way to go on without.
 * @param {{ log?: (line: string) => void, repoDir?: string }} [options] `repoDir`: where playwright-core is found
 * @returns {string} absolute path of the executable
 * @throws {SetupError} `browser`
 */
export function findBrowser({ log = console.error, repoDir = process.cwd() } = {}) {
  for (const variable of VARIABLES) {
    const path = process.env[variable];
    if (!path) continue;
    if (isExecutable(path)) return path;
    throw new SetupError(
      'browser',
      `${variable} names ${path}, which cannot be executed.`,
      `Correct or unset ${variable}.`,
    );
  }
  const installed = findInstalled();
  if (installed) return installed;

  const problems = [];
  if (isDebianAsRoot()) {
    const problem = installFromDebian(log);
    const path = findInstalled();
    if (path) return path;
    problems.push(problem ?? 'apt-get ended well, yet there is no chromium on PATH');
  }
  const result = installWithPlaywright(log, repoDir);
  if ('path' in result && isExecutable(result.path)) return result.path;
  problems.push('problem' in result ? result.problem : `playwright's Chromium is not at ${result.path}`);
  throw new SetupError(
    'browser',
    `No Chromium, Chrome or Edge was found, and none could be installed:\n  ${problems.join('\n  ')}`,
    'Install Chromium or Chrome, or set CHROME_PATH to its executable.',
  );
}
