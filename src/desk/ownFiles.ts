/** The files that Kinwatch itself runs from: its bundles, the modules and native code this process loaded, Node. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param dist the folder of the bundles, this process's and the supervisors'.
 * @param modules files that this process loaded as modules.
 */
export function ownFiles(dist: string, modules: readonly string[]): string[] {
  return [...new Set([process.execPath, ...bundles(dist), ...modules, ...nativeCode()])].toSorted();
}

function bundles(dist: string): string[] {
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.new'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Mapped into this process: `proc_pid_maps(5)`. Libraries of the system are the system's own matter. */
function nativeCode(): string[] {
  return readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .map((line) => line.slice(line.indexOf('/')))
    .filter((path) => path.startsWith('/') && path.endsWith('.node'));
}
