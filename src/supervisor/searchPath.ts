/** PATH, folder by folder, as it is when a server starts. */
import { readdir } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { PathEntry } from '../core/facts.ts';
import { lookAtFile } from '../watch/files.ts';

/** More entries than this are listed without their programs. */
const mostEntries = 64;

type Listed = Omit<PathEntry, 'hides'>;

/** @param path value of PATH; empty: no entries. */
export async function searchPath(path: string, cwd: string): Promise<PathEntry[]> {
  if (path === '') return [];
  const entries = path.split(':').map((entry) => lookAt(entry, cwd));
  const lists = await Promise.all(entries.slice(0, mostEntries).map((entry) => namesIn(entry)));
  return entries.map((entry, index) => ({ ...entry, hides: hidden(entry, index, entries, lists) }));
}

function lookAt(entry: string, cwd: string): Listed {
  const directory = isAbsolute(entry) ? entry : resolve(cwd, entry);
  const result = lookAtFile(directory);
  if (result.kind === 'absent') return { entry, directory, exists: false, writableBy: 'nobody' };
  const { mode, writable } = result.look.facts;
  // Sticky or not: it is new names that matter here.
  if ((mode & 0o002) !== 0) return { entry, directory, exists: true, writableBy: 'everyone' };
  return { entry, directory, exists: true, writableBy: writable ? 'user' : 'nobody' };
}

async function namesIn({ directory, exists }: Listed): Promise<readonly string[]> {
  if (!exists) return [];
  try {
    return await readdir(directory);
  } catch {
    return []; // not readable, or no folder: nothing can be said of its programs
  }
}

function hidden(
  entry: Listed,
  index: number,
  entries: readonly Listed[],
  lists: readonly (readonly string[])[],
): string[] {
  if (entry.writableBy === 'nobody') return [];
  const own = lists[index] ?? [];
  if (own.length === 0) return [];
  const later = new Set(
    lists.flatMap((names, other) => (other > index && entries[other]?.writableBy === 'nobody' ? names : [])),
  );
  return own.filter((name) => later.has(name) && isProgram(join(entry.directory, name))).toSorted();
}

function isProgram(path: string): boolean {
  const result = lookAtFile(path);
  return result.kind === 'found' && result.look.isFile && result.look.executable;
}
