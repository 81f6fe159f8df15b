import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcesses } from './processes.mjs';

/**
 * A place to try Kinwatch in, apart from everything of the user's own.
 * @typedef {object} Sample
 * @property {string} dir holds all of it, mode 0700
 * @property {string} home what KINWATCH_HOME names
 * @property {string} workspace a copy of the sample project
 */

/** @param {string} repoDir @returns {Sample} */
export function makeSample(repoDir) {
  // mkdtemp makes it 0700; the real path, because macOS keeps its temporary folder behind a link.
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kinwatch-')));
  const sample = { dir, home: join(dir, 'home'), workspace: join(dir, 'workspace') };
  mkdirSync(sample.home, { mode: 0o700 });
  cpSync(join(repoDir, 'test', 'sample', 'workspace'), sample.workspace, { recursive: true });
  writeSampleServers(sample.home, { repoDir, workspace: sample.workspace });
  return sample;
}

/**
 * Writes the one server of the sample: the reference file-system server on the sample project.
 * @param {string} home KINWATCH_HOME
 * @param {{ repoDir: string, workspace: string }} places absolute paths
 */
export function writeSampleServers(home, { repoDir, workspace }) {
  const server = join(
    repoDir,
    'node_modules',
    '@modelcontextprotocol',
    'server-filesystem',
    'dist',
    'index.js',
  );
  const config = { servers: { files: { command: 'node', args: [server, workspace] } } };
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config', 'servers.jsonc'), `${JSON.stringify(config, undefined, 2)}\n`, {
    mode: 0o600,
  });
}

/** @param {string} home @returns {import('./processes.mjs').ProcessIdentity | undefined} undefined: no desk of this boot */
function readDesk(home) {
  try {
    const { pid, startTicks, bootId } = JSON.parse(readFileSync(join(home, 'run', 'desk.pid'), 'utf8'));
    const currentBoot =
      process.platform === 'linux' ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : bootId;
    return bootId === currentBoot ? { pid: Number(pid), startTicks: String(startTicks) } : undefined;
  } catch {
    return undefined; // no desk was started, or it has cleaned up behind itself
  }
}

/**
 * Ends Kinwatch's desk of this sample, and whatever else was started for its home, then removes the sample.
 * @param {Sample} sample
 */
export async function endSample({ dir, home }) {
  const desk = readDesk(home);
  await endProcesses({ roots: desk ? [desk] : [], environment: [`KINWATCH_HOME=${home}`], argument: dir });
  rmSync(dir, { recursive: true, force: true });
}
