/**
 * The living members of a family and the signals they got. Membership is the union of recorded births and of
 * descent from the supervisor: each alone can be escaped (KERNEL pitfalls, THREATS 3). A process is signalled
 * only through a descriptor opened and checked against its start time, never by its bare pid.
 */
import { redact, redactArguments } from '../core/redaction/redact.ts';
import { closeFd, openPidfd, signalPidfd } from '../kernel/pidfd.ts';
import { signalName, signals } from '../kernel/numbers.ts';
import {
  listPids,
  type ProcStat,
  readCmdline,
  readCwd,
  readExe,
  readStat,
  startTimeOf,
} from '../watch/proc.ts';

/** A birth that was seen, identified on this boot. */
export interface Recorded {
  readonly pid: number;
  readonly startTicks: number;
}

export interface Signalled {
  readonly pid: number;
  readonly startedAt: string;
  readonly command: string;
  readonly signals: readonly { readonly signal: string; readonly at: string }[];
}

/** Where members are looked for: this machine's /proc. */
interface Table {
  listPids(): readonly number[];
  readStat(pid: number): ProcStat | undefined;
}

interface Entry {
  readonly stat: ProcStat;
  readonly pidfd: number;
  readonly command: string;
  readonly signals: { signal: string; at: string }[];
  stopSent: boolean;
  killSent: boolean;
}

/** Scans that may find new members before a freeze gives up and says so. */
const maxFreezeRounds = 200;
const shownSignals: ReadonlySet<number> = new Set([signals.SIGTERM, signals.SIGKILL]);

export class Family {
  private readonly entries = new Map<string, Entry>();

  constructor(
    /** Descendants of this process belong to it; undefined when only recorded births count. */
    private readonly ancestor: number | undefined,
    private readonly recorded: () => Iterable<Recorded>,
    private readonly table: Table = { listPids, readStat },
  ) {}

  /** Living members now; zombies have ended. */
  living(): ProcStat[] {
    const table = new Map<number, ProcStat>();
    const children = new Map<number, ProcStat[]>();
    for (const pid of this.table.listPids()) {
      const stat = this.table.readStat(pid);
      // Gone, or not to be read: the scan goes on, and what it passed over is counted (`end.ts`).
      if (stat === undefined) continue;
      table.set(pid, stat);
      const siblings = children.get(stat.ppid);
      if (siblings === undefined) children.set(stat.ppid, [stat]);
      else siblings.push(stat);
    }
    const members = new Map<number, ProcStat>();
    const queue: number[] = this.ancestor === undefined ? [] : [this.ancestor];
    for (const { pid, startTicks } of this.recorded()) {
      const stat = table.get(pid);
      if (stat?.startTicks !== startTicks) continue;
      members.set(pid, stat);
      queue.push(pid);
    }
    for (let parent = queue.pop(); parent !== undefined; parent = queue.pop()) {
      for (const child of children.get(parent) ?? []) {
        if (members.has(child.pid)) continue;
        members.set(child.pid, child);
        queue.push(child.pid);
      }
    }
    members.delete(process.pid);
    return [...members.values()].filter(({ ended }) => !ended);
  }

  private entry(stat: ProcStat): Entry | undefined {
    const key = `${stat.pid}:${stat.startTicks}`;
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const pidfd = openPidfd(stat.pid);
    if (pidfd === undefined) return undefined;
    if (readStat(stat.pid)?.startTicks !== stat.startTicks) {
      closeFd(pidfd);
      return undefined;
    }
    const argv = (readCmdline(stat.pid) ?? []).map((part) => part.toString('utf8'));
    // Certificates are shown and stored: secrets are masked where the vector is still known. A program that has
    // written a title over its arguments leaves NULs behind it.
    const command = redact(redactArguments(argv).join(' ')).trimEnd();
    const entry = {
      stat,
      pidfd,
      command: command === '' ? `[${stat.comm}]` : command,
      signals: [],
      stopSent: false,
      killSent: false,
    };
    this.entries.set(key, entry);
    return entry;
  }

  private send(entry: Entry, signal: number): void {
    if (signalPidfd(entry.pidfd, signal) && shownSignals.has(signal)) {
      entry.signals.push({ signal: signalName(signal), at: new Date().toISOString() });
    }
  }

  /**
   * Stops everyone, until a whole scan shows nobody who still runs. A member in an uninterruptible wait (a held
   * exec, a vfork parent) cannot stop: sent the signal, it counts as stopped, it cannot run before it is. One whose
   * first thread has ended shows Z, stopped or not: sent the signal, it counts as stopped too.
   *
   * @returns members frozen; `complete` is false when new ones kept appearing.
   */
  freeze(): { readonly members: readonly ProcStat[]; readonly complete: boolean } {
    for (let round = 0; round < maxFreezeRounds; round += 1) {
      const members = this.living();
      let running = 0;
      for (const stat of members) {
        const entry = this.entry(stat);
        if (entry === undefined) continue;
        if (entry.stopSent && 'TtDZ'.includes(stat.state)) continue;
        running += 1;
        entry.stopSent = true;
        this.send(entry, signals.SIGSTOP);
      }
      if (running === 0) return { members, complete: true };
    }
    return { members: this.living(), complete: false };
  }

  /** Asks everyone to end, stopped or not. */
  terminate(): void {
    for (const stat of this.living()) {
      const entry = this.entry(stat);
      if (entry === undefined) continue;
      this.send(entry, signals.SIGTERM);
      this.send(entry, signals.SIGCONT);
    }
  }

  kill(): void {
    for (const stat of this.living()) {
      const entry = this.entry(stat);
      if (entry === undefined || entry.killSent) continue;
      entry.killSent = true;
      this.send(entry, signals.SIGKILL);
    }
  }

  /** Who got a signal that asks or forces to end. */
  signalled(): Signalled[] {
    return [...this.entries.values()]
      .filter((entry) => entry.signals.length > 0)
      .map(({ stat, command, signals: sent }) => ({
        pid: stat.pid,
        startedAt: startTimeOf(stat.startTicks),
        command,
        signals: [...sent],
      }));
  }

  close(): void {
    for (const { pidfd } of this.entries.values()) closeFd(pidfd);
    this.entries.clear();
  }
}

/** What evidence says of a member, read while it is stopped. */
export function describeMember(stat: ProcStat): {
  pid: number;
  startTicks: number;
  startedAt: string;
  ppid: number;
  state: string;
  exe?: string;
  argv: Buffer[];
  cwd?: string;
} {
  const exe = readExe(stat.pid);
  const cwd = readCwd(stat.pid);
  return {
    pid: stat.pid,
    startTicks: stat.startTicks,
    startedAt: startTimeOf(stat.startTicks),
    ppid: stat.ppid,
    state: stat.state,
    argv: readCmdline(stat.pid) ?? [],
    ...(exe === undefined ? {} : { exe }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}
