/**
 * Kinwatch's own files against what the desk knows of them: the bundles it and the supervisors run from, Node, the
 * reviewer's token hash and `servers.jsonc` (THREATS 14). A look costs one stat a file; content is read only where
 * device, inode, size or change time differ, and never while somebody waits for a release.
 */
import { statSync } from 'node:fs';
import { digestFile, lookAtFile } from '../watch/files.ts';

export interface Change {
  readonly path: string;
  /** Digest, or `unknown`; null: there was no such file. */
  readonly was: string | null;
  readonly is: string | null;
  /** Milliseconds since the epoch by the file's change time; now, for a file that is gone. */
  readonly changedMs: number;
}

interface Known {
  readonly stamp: string | null;
  /** Undefined until it was read: a desk that starts has better things to do. */
  digest: string | null | undefined;
  readonly sizeBytes: number;
}

const unknown = 'unknown';

export class Installation {
  private readonly known = new Map<string, Known>();
  private running: Promise<readonly Change[]> | undefined;

  /** Takes the stamps at once. @param paths absolute; a file that is not there may appear. */
  constructor(paths: readonly string[]) {
    for (const path of paths) this.known.set(path, stampOf(path));
  }

  /** Every file's digest, by path; null for what is not there. Reads what was not read yet. */
  async digests(): Promise<Record<string, string | null>> {
    const all: Record<string, string | null> = {};
    for (const [path, known] of this.known) {
      known.digest ??= await contentOf(path, known);
      all[path] = known.digest;
    }
    return all;
  }

  /** What has changed since the last look. Looks that overlap are one. */
  async look(): Promise<readonly Change[]> {
    this.running ??= this.compare().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** The desk itself has just written this file. */
  accept(path: string): void {
    if (this.known.has(path)) this.known.set(path, stampOf(path));
  }

  private async compare(): Promise<readonly Change[]> {
    const changes: Change[] = [];
    for (const [path, before] of this.known) {
      const now = stampOf(path);
      if (now.stamp === before.stamp) continue;
      const is = await contentOf(path, now);
      if (this.known.get(path) !== before) continue; // accepted meanwhile
      this.known.set(path, { ...now, digest: is });
      const was = before.stamp === null ? null : (before.digest ?? unknown);
      if (was === is && was !== unknown) continue;
      changes.push({ path, was, is, changedMs: changedMs(path) });
    }
    return changes;
  }
}

function stampOf(path: string): Known {
  try {
    const { dev, ino, size, ctimeNs } = statSync(path, { bigint: true });
    return { stamp: `${dev}:${ino}:${size}:${ctimeNs}`, digest: undefined, sizeBytes: Number(size) };
  } catch {
    return { stamp: null, digest: null, sizeBytes: 0 }; // absent, or behind a door that was shut: it cannot be used either
  }
}

/** What this user cannot write needs no reading: only the system's owner changes it. */
async function contentOf(path: string, { stamp, sizeBytes }: Known): Promise<string | null> {
  if (stamp === null) return null;
  const result = lookAtFile(path);
  if (result.kind === 'found' && !result.look.facts.writable) return `stamp:${stamp}`;
  return (await digestFile(path, sizeBytes)) ?? unknown;
}

function changedMs(path: string): number {
  try {
    return statSync(path).ctimeMs;
  } catch {
    return Date.now(); // it is gone: from now on
  }
}
