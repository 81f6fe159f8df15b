/** An exclusive lock that the kernel frees when its holder dies: `flock(2)`. */
import { libc } from './libc.ts';

const LOCK_EX = 2;
const LOCK_NB = 4;

/** Takes the lock on an open file. False when another process holds it. Held until the descriptor closes. */
export function lockFile(fd: number): boolean {
  return libc.flock(fd, LOCK_EX | LOCK_NB) === 0;
}
