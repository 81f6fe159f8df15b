/** The desk's directories, its lock and its pid file. */
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Places } from '../protocol/places.ts';
import { lockFile } from '../kernel/lock.ts';
import { privateDirectoryFault } from '../watch/privateDirectory.ts';
import { DeskError, reasonOf } from './deskError.ts';

/**
 * Makes state and runtime directories, or checks what is there.
 * @throws DeskError when one is not a directory of this user's own, closed to everyone else.
 */
export function preparePlaces(places: Places, uid: number): void {
  for (const directory of [places.state, places.runtime]) {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new DeskError('no place', `${directory} cannot be made: ${reasonOf(cause)}`, { cause });
    }
    const fault = privateDirectoryFault(directory, uid);
    if (fault !== undefined) throw new DeskError('unsafe place', fault);
  }
}

/**
 * The lock that makes this process the user's one desk. Undefined when another desk keeps it for longer than
 * `waitMs`; a desk that is just ending frees it before that. Held until this process ends.
 */
export async function takeDeskLock(runtime: string, waitMs: number): Promise<number | undefined> {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const fd = openSync(join(runtime, 'desk.lock'), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  const until = Date.now() + waitMs;
  for (;;) {
    if (lockFile(fd)) return fd;
    if (Date.now() >= until) break;
    await delay(50);
  }
  closeSync(fd);
  return undefined;
}

/** Only under the lock: whatever lies there is nobody's. */
export function removeStaleSocket(path: string): void {
  if (existsSync(path)) unlinkSync(path);
}

/** Replaces a file as a whole: a crash leaves the old text or the new one, both synced. Mode 0600. */
export function writeFileWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.new`;
  const fd = openSync(temporary, 'w', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
  const directory = openSync(dirname(path), 'r');
  fsyncSync(directory);
  closeSync(directory);
}
