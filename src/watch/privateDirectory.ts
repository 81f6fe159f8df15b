/** Directories that must be this user's alone: whoever else could write there could answer in the desk's place. */
import { lstatSync } from 'node:fs';

/**
 * What is wrong with it, with the next step; undefined when nothing is, or nothing is there.
 *
 * @throws the system's error when it cannot be looked at.
 */
export function privateDirectoryFault(directory: string, uid: number): string | undefined {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isDirectory()) return `${directory} is not a directory; remove it`;
  if (stat.uid !== uid)
    return `${directory} belongs to user ${stat.uid}, not to ${uid}; remove it or set KINWATCH_HOME`;
  if ((stat.mode & 0o077) !== 0) return `${directory} is open to other users; run: chmod 700 ${directory}`;
  return undefined;
}
