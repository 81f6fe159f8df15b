import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { SetupError } from './setupError.mjs';

/**
 * A process that cannot be mistaken for a later one with the same number: pid and start time
 * (Linux: field 22 of /proc/PID/stat, proc_pid_stat(5); elsewhere: what `ps -o lstart` prints).
 * @typedef {{ pid: number, startTicks: string }} ProcessIdentity
 * @typedef {ProcessIdentity & { ppid: number, state: string, command?: string }} ProcessRow
 */

/**
 * How a process that has left the tree is still known as the run's own. Absent = only by descent.
 * @typedef {object} Marks
 * @property {string[]} [environment] `NAME=value`, any of which it was started with (Linux)
 * @property {string} [argument] a path of the run that its command line holds (elsewhere, where no environment can be read)
 */

/** How long a condition is given between two looks at it. */
const POLL_MS = 40;

const hasProc = process.platform === 'linux';

/**
 * Waits until `condition` gives something other than undefined or false.
 * @template T
 * @param {() => T | Promise<T>} condition
 * @param {number} timeoutMs
 * @returns {Promise<T | undefined>} undefined when the time ran out
 */
export async function waitFor(condition, timeoutMs) {
  const endsAt = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > endsAt) return undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * @param {number} pid
 * @returns {ProcessRow | undefined} undefined when there is no such process
 */
export function readProcess(pid) {
  if (!hasProc) return listProcesses().find((row) => row.pid === pid);
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined; // ended between the listing and the reading
  }
  // The command name may itself hold spaces and brackets: fields are counted from the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, state: fields[0] ?? '?', ppid: Number(fields[1]), startTicks: fields[19] ?? '' };
}

/** @returns {ProcessRow[]} */
function listProcesses() {
  if (hasProc) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)) ?? []);
  }
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,stat=,lstart='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (!match) return [];
    return {
      pid: Number(match[1]),
      ppid: Number(match[2]),
      state: match[3] ?? '?',
      startTicks: match[4] ?? '',
    };
  });
}

/**
 * @param {ProcessRow} row
 * @param {Marks} marks
 */
function isMarked(row, { environment = [], argument }) {
  if (!hasProc) return argument !== undefined && (row.command ?? '').includes(argument);
  try {
    const variables = readFileSync(`/proc/${row.pid}/environ`, 'utf8').split('\0');
    return environment.some((mark) => variables.includes(mark));
  } catch {
    return false; // ended, or another user's: neither is ours to end
  }
}

/** @param {ProcessRow | undefined} row */
const isRunning = (row) => row !== undefined && !row.state.startsWith('Z') && !row.state.startsWith('X');

/**
 * What is running and belongs to the run: what was known before, its descendants, and whatever carries its marks.
 * @param {Map<number, ProcessIdentity>} known grows by what is found
 * @param {Marks} marks
 * @returns {ProcessRow[]}
 */
function findMembers(known, marks) {
  const rows = listProcesses();
  /** @param {ProcessRow} row */
  const isKnown = (row) => known.get(row.pid)?.startTicks === row.startTicks;
  const members = new Map(
    rows
      .filter((row) => row.pid !== process.pid)
      .filter((row) => isKnown(row) || isMarked(row, marks))
      .map((row) => [row.pid, row]),
  );
  for (let grown = true; grown;) {
    grown = false;
    for (const row of rows) {
      if (members.has(row.pid) || row.pid === process.pid || !members.has(row.ppid)) continue;
      members.set(row.pid, row);
      grown = true;
    }
  }
  for (const row of members.values()) known.set(row.pid, { pid: row.pid, startTicks: row.startTicks });
  return [...members.values()].filter(isRunning);
}

/**
 * @param {ProcessRow} row
 * @param {NodeJS.Signals} signal
 */
function signalProcess(row, signal) {
  if (readProcess(row.pid)?.startTicks !== row.startTicks) return;
  try {
    process.kill(row.pid, signal);
  } catch (error) {
    // Ended in this moment. EPERM stays visible: the process is then among the survivors.
    if (!['ESRCH', 'EPERM'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw error;
  }
}

/**
 * Stops members until a listing shows none that is still able to start another.
 * @param {Map<number, ProcessIdentity>} known
 * @param {Marks} marks
 */
async function freeze(known, marks) {
  await waitFor(() => {
    const moving = findMembers(known, marks).filter((row) => !/^[TtD]/.test(row.state));
    for (const row of moving) signalProcess(row, 'SIGSTOP');
    return moving.length === 0;
  }, 5_000);
}

/**
 * Ends processes, everything that descends from them, and everything that carries the run's marks:
 * frozen first (nothing starts while it is ended), then TERM, after the grace time KILL, then looked at again.
 * @param {{ roots: ProcessIdentity[], graceMs?: number } & Marks} options
 * @returns {Promise<void>}
 * @throws {SetupError} `survivors` when something is still alive
 */
export async function endProcesses({ roots, graceMs = 4_000, ...marks }) {
  /** @type {Map<number, ProcessIdentity>} */
  const known = new Map(roots.map((root) => [root.pid, root]));
  await freeze(known, marks);
  const members = findMembers(known, marks);
  for (const row of members) signalProcess(row, 'SIGTERM');
  for (const row of members) signalProcess(row, 'SIGCONT');
  const gone = await waitFor(() => findMembers(known, marks).length === 0, graceMs);
  if (gone) return;
  await freeze(known, marks);
  const ended = await waitFor(() => {
    const left = findMembers(known, marks);
    for (const row of left) signalProcess(row, 'SIGKILL');
    return left.length === 0;
  }, 10_000);
  if (ended) return;
  const left = findMembers(known, marks).map((row) => row.pid);
  throw new SetupError(
    'survivors',
    `These processes could not be ended: ${left.join(', ')}.`,
    `Look at them with "ps -fp ${left.join(',')}" and end them as their owner.`,
  );
}
