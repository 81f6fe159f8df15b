/**
 * The launcher of an installed extension: the shim's template with this editor's own runtime and folder
 * written into it, so that nothing is looked up in a PATH when a client starts it.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Runtime {
  /** Absolute path of the program that runs `dist/*.js`. */
  readonly node: string;
  /** Absolute path of `dist/`. */
  readonly dist: string;
  /** True when `node` is an Electron program and runs scripts only with `ELECTRON_RUN_AS_NODE`. */
  readonly electron: boolean;
}

/** One word of a POSIX shell, whatever it contains. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Where a system's own tools lie; the client's PATH is not asked. */
const toolFolders = ['/usr/bin', '/bin'];

/** @throws when the system has no such tool. */
function systemTool(name: string): string {
  const found = toolFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(
      `${name} was not found in ${toolFolders.join(' or ')}; install it (package util-linux or coreutils)`,
    );
  }
  return found;
}

/**
 * Fills the template of `src/shim/kinwatch.sh`: every placeholder becomes one quoted shell word.
 * @throws when a placeholder is not known or a system tool is missing.
 */
export function launcherText(template: string, runtime: Runtime): string {
  // A function, because `$&` in a path would be a pattern of the replacement.
  return template.replaceAll(/@([A-Z]+)@/gu, (whole, name: string) => {
    switch (name) {
      case 'NODE':
        return shellWord(runtime.node);
      case 'DIST':
        return shellWord(runtime.dist);
      case 'ELECTRON':
        return shellWord(runtime.electron ? '1' : '');
      case 'ENV':
      case 'SETSID':
        return shellWord(systemTool(name.toLowerCase()));
      default:
        throw new Error(`the launcher's template asks for ${whole}, which this version does not know`);
    }
  });
}

/**
 * Writes the launcher into `folder` and returns its path. Atomic: a client may be starting the old one.
 * @throws when the template cannot be read or the folder not be written.
 */
export async function writeLauncher(folder: string, runtime: Runtime): Promise<string> {
  const path = join(folder, 'kinwatch');
  const text = launcherText(await readFile(join(runtime.dist, 'kinwatch.in'), 'utf8'), runtime);
  await mkdir(folder, { recursive: true });
  if ((await textOf(path)) === text) {
    await chmod(path, 0o700);
    return path;
  }
  const next = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(next, text, { mode: 0o700, flag: 'wx' });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  return path;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // Absent or unreadable: it is written anew.
    return undefined;
  }
}
