/** Where git looks for a folder's configuration and hooks: gitrepository-layout(5), git-config(1) `core.hooksPath`. */
import { open, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';

const maxConfigBytes = 64 * 1024;
const maxParents = 40;

export interface GitPlaces {
  readonly configurations: readonly string[];
  readonly hooks: readonly string[];
}

/** @param home for the user's own configuration, which may name a folder of hooks. */
export async function gitPlacesOf(home: string | undefined, folders: readonly string[]): Promise<GitPlaces> {
  const configurations = new Set<string>();
  const hooks = new Set<string>();
  const hooksOf = async (file: string, base: string): Promise<void> => {
    const path = hooksPathIn((await readStart(file)) ?? '');
    if (path === undefined) return;
    const tilde = path.startsWith('~/') && home !== undefined ? join(home, path.slice(2)) : path;
    hooks.add(isAbsolute(tilde) ? tilde : resolve(base, tilde));
  };
  const repositories = new Map<string, string>();
  for (const folder of folders) {
    const found = await repositoryOf(folder);
    if (found !== undefined) repositories.set(found.common, found.top);
  }
  for (const [common, top] of repositories) {
    configurations.add(join(common, 'config'));
    hooks.add(join(common, 'hooks'));
    await hooksOf(join(common, 'config'), top);
  }
  if (home !== undefined) {
    const tops = repositories.size === 0 ? [home] : [...repositories.values()];
    for (const file of ['.gitconfig', '.config/git/config'])
      for (const top of tops) await hooksOf(join(home, file), top);
  }
  return { configurations: [...configurations], hooks: [...hooks] };
}

/** The repository that a folder lies in, and the folder its worktrees share. */
async function repositoryOf(folder: string): Promise<{ top: string; common: string } | undefined> {
  let top = folder;
  for (let depth = 0; depth < maxParents && isAbsolute(top); depth += 1) {
    const git = join(top, '.git');
    const stats = await stat(git).catch(() => undefined);
    if (stats?.isDirectory() === true) return { top, common: git };
    if (stats?.isFile() === true) {
      const named = /^gitdir: (.+)$/mu.exec((await readStart(git)) ?? '')?.[1];
      if (named === undefined) return undefined;
      const own = resolve(top, named);
      const shared = (await readStart(join(own, 'commondir')))?.trim();
      return { top, common: shared === undefined ? own : resolve(own, shared) };
    }
    if (top === dirname(top)) return undefined;
    top = dirname(top);
  }
  return undefined;
}

/** The last one counts. Files that it includes are not followed. */
function hooksPathIn(text: string): string | undefined {
  const found = [...text.matchAll(/^\s*hookspath\s*=\s*"?([^"#;\n]+?)"?\s*$/gimu)];
  return found.at(-1)?.[1];
}

async function readStart(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined;
    const file = await open(path, 'r');
    try {
      const bytes = Buffer.alloc(maxConfigBytes);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      return bytes.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined; // not there, or not for this user: git would not read it either
  }
}
