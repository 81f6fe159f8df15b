/** Credential files in a few folders: a short walk beside everything else, bounded in depth, entries and time. */
import { constants } from 'node:fs';
import { open, opendir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { credentialName, isSkippedFolder, marksCredential } from '../core/policy/credentialFiles.ts';

export interface CredentialFiles {
  /** Absolute paths, sorted. */
  readonly files: readonly string[];
  /** False when a bound ended the walk: there may be more. */
  readonly complete: boolean;
}

export interface WalkBounds {
  /** Folders below the given ones. */
  readonly depth: number;
  readonly entries: number;
  readonly ms: number;
}

const usual: WalkBounds = { depth: 3, entries: 5000, ms: 2000 };
const beginningBytes = 4096;

/**
 * Does not follow links to folders. What cannot be read is passed over: who runs as this user cannot read it either.
 *
 * @param folders absolute; `/` is left out, nobody works on the whole machine.
 */
export async function credentialFiles(
  folders: readonly string[],
  bounds: WalkBounds = usual,
): Promise<CredentialFiles> {
  const files = new Set<string>();
  const end = performance.now() + bounds.ms;
  let left = bounds.entries;
  let complete = true;
  const queue = [...new Set(folders)].filter((path) => path !== '/').map((path) => ({ path, depth: 0 }));
  const seen = new Set(queue.map(({ path }) => path));
  // Breadth first: what lies near is worth more than what lies deep.
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { path: folder, depth } = next;
    try {
      for await (const entry of await opendir(folder, { bufferSize: 256 })) {
        left -= 1;
        if (left < 0 || performance.now() > end) return { files: [...files].toSorted(), complete: false };
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
          if (isSkippedFolder(entry.name) || seen.has(path)) continue;
          if (depth === bounds.depth) complete = false;
          else queue.push({ path, depth: depth + 1 });
          seen.add(path);
        } else if (await isCredential(path, entry.name, basename(folder))) files.add(path);
      }
    } catch {
      continue; // not there, not readable, or gone while it was read
    }
  }
  return { files: [...files].toSorted(), complete };
}

async function isCredential(path: string, name: string, folder: string): Promise<boolean> {
  const said = credentialName(name, folder);
  if (said !== 'look') return said === 'credential';
  try {
    // Not blocking: a pipe of that name must not hold up the walk.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return false;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(beginningBytes), 0, beginningBytes, 0);
      return marksCredential(name, buffer.toString('utf8', 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return false; // it cannot be read, so it is not within reach
  }
}
