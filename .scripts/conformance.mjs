/** Which Node runs the official conformance suite: it wants 22 or later, Kinwatch itself 20. */
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { editorCacheDir, ensureBrowserEditor } from './installEditor.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const wantedMajor = 22;

/**
 * This Node, or the browser editor's, which is installed first when it is not there.
 * @param {string} directory the checkout that the tests run in; their user can read it
 * @returns {Promise<string>}
 * @throws {import('./setupError.mjs').SetupError}
 */
export async function suiteNode(directory) {
  if (Number.parseInt(process.versions.node, 10) >= wantedMajor) return process.execPath;
  const { node } = await ensureBrowserEditor({ cacheDir: editorCacheDir(root) });
  if (directory === root) return node;
  // The directory above the cache is closed to the tests' user.
  const copy = join(directory, 'out', 'node');
  copyFileSync(node, copy);
  return copy;
}
