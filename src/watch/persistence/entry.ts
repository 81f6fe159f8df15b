/** One file of a place as it is now: enough to tell whether it is another one later. */
import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, stat } from 'node:fs/promises';
import type { Place } from './places.ts';

/** Content of files up to this size counts; of larger ones inode, size and change time. */
const digestLimitBytes = 64 * 1024;
/** The same for files of which only some keys count. */
const keysLimitBytes = 8 * 1024 * 1024;

/** What stands behind a link that leads to a folder. */
export const linkedFolder = 'folder';

export interface Entry {
  /** The place it was found under. */
  readonly place: Place;
  readonly kind: 'file' | 'folder' | 'link' | 'other' | 'text';
  readonly sizeBytes: number;
  readonly mode: number;
  readonly inode: bigint;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
  /** Of a link: its text, and what the file behind it is. */
  readonly target?: string;
  readonly behind?: string;
  /** SHA-256 of the content. Absent when it was not read. */
  readonly digest?: string;
}

/** @param before the same file at an earlier look: not read again when nothing about it changed. */
export async function entryOf(path: Buffer, place: Place, before: Entry | undefined): Promise<Entry> {
  const stats = await lstat(path, { bigint: true });
  const found = {
    place,
    kind: kindOf(stats),
    sizeBytes: Number(stats.size),
    mode: Number(stats.mode & 0o7777n),
    inode: stats.ino,
    modifiedNs: stats.mtimeNs,
    changedNs: stats.ctimeNs,
  };
  if (found.kind === 'link') return { ...found, ...(await behindLink(path, place)) };
  if (found.kind !== 'file') return found;
  // The change time cannot be set back without root.
  if (before !== undefined && before.inode === found.inode && before.changedNs === found.changedNs)
    return { ...found, ...(before.digest === undefined ? {} : { digest: before.digest }) };
  return { ...found, ...(await contentOf(path, place, stats)) };
}

function kindOf(stats: BigIntStats): Entry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** People link start-up files to where they keep them: the file behind counts as well. */
async function behindLink(path: Buffer, place: Place): Promise<Partial<Entry>> {
  const target = (await readlink(path, { encoding: 'buffer' })).toString('latin1');
  try {
    const stats = await stat(path, { bigint: true });
    if (stats.isDirectory()) return { target, behind: linkedFolder };
    if (!stats.isFile()) return { target };
    const content = await contentOf(path, place, stats);
    return content.digest === undefined
      ? { target, behind: `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeNs}` }
      : { target, ...content };
  } catch {
    return { target }; // it leads nowhere, or where this user may not look
  }
}

async function contentOf(path: Buffer, place: Place, stats: BigIntStats): Promise<{ digest?: string }> {
  if (stats.size > (place.keys === undefined ? digestLimitBytes : keysLimitBytes)) return {};
  try {
    // What was a file a moment ago may be a pipe by now: opening it must not wait.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return {};
      const bytes = Buffer.alloc(Number(stats.size) + 1);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      return { digest: digestOf(bytes.subarray(0, bytesRead), place.keys) };
    } finally {
      await file.close();
    }
  } catch {
    return {}; // unreadable: its size and times still tell
  }
}

/** @param keys only what stands under these in a JSON text; what is no JSON counts whole. */
export function digestOf(bytes: Buffer, keys?: readonly string[]): string {
  const hash = createHash('sha256');
  if (keys === undefined) return hash.update(bytes).digest('hex');
  try {
    return hash.update(JSON.stringify(pick(JSON.parse(bytes.toString('utf8')), new Set(keys)))).digest('hex');
  } catch {
    return hash.update(bytes).digest('hex');
  }
}

/** What stands under the keys, with the way to it. Empty ways leave nothing. */
function pick(value: unknown, keys: ReadonlySet<string>): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): unknown[] => {
    if (keys.has(key)) return isEmpty(inner) ? [] : [[key, inner]];
    const found = pick(inner, keys);
    return found.length === 0 ? [] : [[key, found]];
  });
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
