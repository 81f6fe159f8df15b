import {
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SetupError } from './setupError.mjs';

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'telemetry.telemetryLevel': 'off',
  // Never chat.disableAIFeatures: it removes the MCP commands.
};

/**
 * Another user than the one who made a folder must be able to walk into it.
 * @param {string} path
 * @param {number} uid
 * @param {number} gid
 */
export function checkReachable(path, uid, gid) {
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
export function giveTo(path, uid, gid) {
  lchownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), uid, gid);
}

/**
 * Lays out the run's own folder. Extensions are only put into an empty extensions folder: the editor keeps its own
 * list beside them from then on.
 * @param {import('./editor.mjs').EditorOptions} options
 */
export function prepareDataDir({
  dataDir,
  extensionDir,
  moreExtensionDirs = [],
  settings = {},
  userFiles = {},
  workspaceTrust = false,
}) {
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
    const trust = {
      'security.workspace.trust.enabled': workspaceTrust,
      'security.workspace.trust.startupPrompt': 'never',
    };
    const files = { ...userFiles, 'settings.json': { ...SETTINGS, ...trust, ...settings } };
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
