/** What a file is right now: owner, who could change it, content. Collectors for `core/identity`. */
import { createHash } from 'node:crypto';
import { accessSync, type BigIntStats, constants, createReadStream, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileFacts } from '../core/facts.ts';

/** Files above this size are identified by device, inode, size and change time only. */
const digestLimitBytes = 512 * 1024 * 1024;

/** A look at one file, with what is needed to notice that it changed since. */
export interface FileLook {
  readonly facts: FileFacts;
  readonly changedNs: bigint;
  readonly modifiedNs: bigint;
  readonly isFile: boolean;
  readonly executable: boolean;
  readonly readable: boolean;
}

export type LookResult =
  | { readonly kind: 'found'; readonly look: FileLook }
  /** `errno` as `stat(2)` gave it: ENOENT, ENOTDIR, EACCES, ELOOP… */
  | { readonly kind: 'absent'; readonly code: string };

/** Looks at a file by absolute path. No digest yet: see {@link digestFile}. */
export function lookAtFile(path: string): LookResult {
  try {
    // The native one: the other folds `..` as text, and behind a symbolic link that names another file.
    const real = realpathSync.native(path);
    const stats = statSync(real, { bigint: true });
    return { kind: 'found', look: lookFrom(real, stats) };
  } catch (error) {
    return { kind: 'absent', code: (error as NodeJS.ErrnoException).code ?? 'EIO' };
  }
}

function lookFrom(path: string, stats: BigIntStats): FileLook {
  return {
    facts: {
      path,
      device: stats.dev.toString(),
      inode: stats.ino.toString(),
      sizeBytes: Number(stats.size),
      ownerUid: Number(stats.uid),
      mode: Number(stats.mode & 0o7777n),
      writable: isWritable(path, Number(stats.uid), Number(stats.mode)),
    },
    changedNs: stats.ctimeNs,
    modifiedNs: stats.mtimeNs,
    isFile: stats.isFile(),
    executable: permits(path, stats, 0o111, constants.X_OK),
    readable: permits(path, stats, 0o444, constants.R_OK),
  };
}

/** Bits set for everybody need no further question; otherwise it depends on who we are. */
function permits(path: string, stats: BigIntStats, everybody: number, mode: number): boolean {
  return (Number(stats.mode) & everybody) === everybody || allows(path, mode);
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false; // access(2): no
  }
}

/**
 * True when this user could change the file's content, or put another file in its place: it owns it (and may
 * change its mode), may write it, or may write a directory on the way to it.
 */
function isWritable(path: string, ownerUid: number, mode: number): boolean {
  const uid = process.getuid?.() ?? 0;
  return uid === 0 || ownerUid === uid || othersMayWrite(path, mode) || isWayWritable(path);
}

/** True when this user may write a directory on the way to the file, as the path spells it. */
export function isWayWritable(path: string): boolean {
  const uid = process.getuid?.() ?? 0;
  if (uid === 0) return true;
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const stats = statSync(directory);
    if (stats.uid === uid) return true;
    // In a sticky directory only the owner of an entry, or of the directory, may replace it: neither is us.
    const sticky = (stats.mode & 0o1000) !== 0;
    if (!sticky && othersMayWrite(directory, stats.mode)) return true;
    if (directory === '/') return false;
  }
}

/**
 * Asked of a file that belongs to somebody else. Without a write bit for group or others nobody but its owner may
 * write; what an access list grants shows in the group's bits, which are its mask (`acl(5)`).
 */
function othersMayWrite(path: string, mode: number): boolean {
  return (mode & 0o022) !== 0 && allows(path, constants.W_OK);
}

/** `sha256:<hex>` of the file's content, read off the event loop; undefined when unreadable or too large. */
export async function digestFile(path: string, sizeBytes: number): Promise<string | undefined> {
  if (sizeBytes > digestLimitBytes) return undefined;
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
      hash.update(chunk as Buffer);
  } catch {
    return undefined; // unreadable: the caller treats a missing digest as unknown content
  }
  return `sha256:${hash.digest('hex')}`;
}

/** True when the file is what it was at the look: same inode, size and change time. */
export function isUnchanged(look: FileLook): boolean {
  const again = lookAtFile(look.facts.path);
  return (
    again.kind === 'found' &&
    again.look.facts.device === look.facts.device &&
    again.look.facts.inode === look.facts.inode &&
    again.look.changedNs === look.changedNs &&
    again.look.facts.sizeBytes === look.facts.sizeBytes
  );
}
