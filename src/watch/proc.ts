/** Reads `/proc` (`proc(5)`). Every function answers undefined when the process is gone or may not be read. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';

export interface ProcStat {
  readonly pid: number;
  readonly comm: string;
  /** State letter of its first thread: R, S, D, T, t, Z, X, I. */
  readonly state: string;
  /** It only waits to be reaped. A process whose first thread alone has ended is in state Z too, and lives. */
  readonly ended: boolean;
  /** False for a fork until its first exec: `PF_FORKNOEXEC` of `include/linux/sched.h`. */
  readonly hasExecuted: boolean;
  readonly ppid: number;
  readonly pgid: number;
  readonly sid: number;
  /** Clock ticks between boot and the start of the process. */
  readonly startTicks: number;
}

/** Clock ticks a second that /proc counts in: `USER_HZ`, 100 on every Linux architecture in use. */
const ticksPerSecond = 100;
const forkedOnly = 0x40;
const small = Buffer.alloc(4096);

function readSmall(path: string): string | undefined {
  const count = readIntoSmall(path);
  return count === undefined ? undefined : small.toString('latin1', 0, count);
}

/** Bytes now in {@link small}, which the next read overwrites. */
function readIntoSmall(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return undefined; // gone: the ordinary end of every process
  }
  try {
    return readSync(fd, small, 0, small.length, 0);
  } catch {
    return undefined; // it ended between open and read (ESRCH)
  } finally {
    closeSync(fd);
  }
}

/** Of a process, or of a single thread when given a thread id. */
export function readStat(pid: number): ProcStat | undefined {
  const text = readSmall(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(pid, text);
}

/**
 * `/proc/PID/stat`, `proc_pid_stat(5)`. Undefined when it is not whole: half a line would name another parent.
 *
 * @param text one character a byte: names need not be UTF-8.
 */
export function parseStat(pid: number, text: string): ProcStat | undefined {
  // The name stands in parentheses and may hold spaces, parentheses and line ends of its own.
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  // The field behind the start time shows that the start time is not cut.
  if (open === -1 || close < open || fields[20] === undefined) return undefined;
  const state = fields[0] ?? '';
  return {
    pid,
    comm: text.slice(open + 1, close),
    state,
    ended: (state === 'Z' || state === 'X') && Number(fields[17]) <= 1,
    hasExecuted: (Number(fields[6]) & forkedOnly) === 0,
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    sid: Number(fields[3]),
    startTicks: Number(fields[19]),
  };
}

/** The process a thread belongs to. */
export function readThreadGroup(tid: number): number | undefined {
  const match = /^Tgid:\t(\d+)$/mu.exec(readSmall(`/proc/${tid}/status`) ?? '');
  return match === null ? undefined : Number(match[1]);
}

export function readCmdline(pid: number): Buffer[] | undefined {
  const bytes = readWhole(`/proc/${pid}/cmdline`);
  return bytes === undefined ? undefined : splitNul(bytes);
}

export function readEnviron(pid: number): Buffer[] | undefined {
  const bytes = readEnvironBytes(pid);
  return bytes === undefined ? undefined : splitNul(bytes);
}

/** Each variable with a NUL behind it. Empty while the kernel sets the program up. */
export function readEnvironBytes(pid: number): Buffer | undefined {
  return readWhole(`/proc/${pid}/environ`);
}

function readWhole(path: string): Buffer | undefined {
  const count = readIntoSmall(path);
  if (count === undefined) return undefined;
  if (count < small.length) return Buffer.from(small.subarray(0, count));
  try {
    return readFileSync(path);
  } catch {
    return undefined; // gone, or not readable by this user
  }
}

/** Splits NUL-terminated strings. The last terminator ends the last string and starts none. */
export function splitNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  while (from < bytes.length) {
    const nul = bytes.indexOf(0, from);
    const to = nul === -1 ? bytes.length : nul;
    parts.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return parts;
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // gone, or not readable by this user
  }
}

export function readExe(pid: number): string | undefined {
  return readLink(`/proc/${pid}/exe`);
}

export function readCwd(pid: number): string | undefined {
  return readLink(`/proc/${pid}/cwd`);
}

export function listPids(): number[] {
  const pids: number[] = [];
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first >= 0x30 && first <= 0x39) pids.push(Number(name));
  }
  return pids;
}

/** Processes that this user may not look at (`hidepid`, a hardened kernel): a scan has passed over them. */
export function countUnreadable(): number {
  return listPids().filter((pid) => {
    try {
      closeSync(openSync(`/proc/${pid}/stat`, 'r'));
      return false;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === 'EACCES' || code === 'EPERM';
    }
  }).length;
}

export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** When this boot began. `btime` of `/proc/stat` has whole seconds only; uptime has hundredths. */
const bootTimeMs = once(
  () => Date.now() - Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000,
);

function once<T>(make: () => T): () => T {
  let value: { made: T } | undefined;
  return () => (value ??= { made: make() }).made;
}

/** RFC 3339 UTC for a start time. Constant within this process; another may differ by hundredths of a second. */
export function startTimeOf(startTicks: number): string {
  return new Date(bootTimeMs() + (startTicks * 1000) / ticksPerSecond).toISOString();
}
