/** The members of one family: who was born, who is alive, whose child each was. */
import type { RequestRef } from '../../core/facts.ts';
import { closeFd, openPidfd, ProcessEnds } from '../../kernel/pidfd.ts';
import { readStat, readThreadGroup, startTimeOf } from '../proc.ts';

export interface Member {
  readonly pid: number;
  readonly startTicks: number;
  /** RFC 3339 UTC, told to the world as its identity beside the pid. */
  readonly startedAt: string;
  /** Parent at birth. */
  readonly ppid: number;
  readonly parent: Member | undefined;
  readonly request: RequestRef | undefined;
  /** Absent when it had ended before it could be opened. */
  readonly pidfd: number | undefined;
  /** Set by its `exit_group`. */
  exitCode: number | undefined;
  /** It hangs under the supervisor, or has made a session of its own. */
  detached: boolean;
}

export interface MemberEvents {
  born(member: Member): void;
  ended(member: Member): void;
  detached(member: Member): void;
}

export class Members {
  /** The server itself is the first member, and the supervisor's child by right. */
  private hasRoot = false;
  private readonly living = new Map<number, Member>();
  private readonly ends = new ProcessEnds();
  /** Members that were not told yet. */
  private untold: Member[] = [];

  constructor(
    private readonly events: MemberEvents,
    /** Asked once for each birth, before it is told. */
    private readonly requestOf: (parent: Member | undefined) => RequestRef | undefined,
  ) {}

  /** Readable when {@link collectEnds} has something to tell. */
  get endsFd(): number {
    return this.ends.fd;
  }

  /** Before the first member: ends are then told on this thread's event loop. */
  watchEnds(failed: (error: unknown) => void): void {
    this.ends.watch(() => this.collectEnds(), failed);
  }

  /** The living member with this pid. */
  get(pid: number): Member | undefined {
    return this.living.get(pid);
  }

  /** Its parent has ended, or it is about to leave its parent's session. */
  detach(member: Member): void {
    if (member.detached) return;
    member.detached = true;
    this.events.detached(member);
  }

  /** `setsid(2)`: not for the server itself, nor where the call fails, for a process that leads a group. */
  leavesSession(member: Member): void {
    if (member.parent !== undefined && readStat(member.pid)?.pgid !== member.pid) this.detach(member);
  }

  all(): Member[] {
    return [...this.living.values()];
  }

  /**
   * The member that a trapped call of this thread came from, born now if it is not known yet; {@link tell} tells it.
   * Undefined when its process is gone. Every trapped call comes from a member: only members are under the filter.
   *
   * @param isWaiting true while the call waits, so that the thread id is still that thread's.
   */
  of(tid: number, isWaiting: () => boolean): Member | undefined {
    const known = this.living.get(tid);
    if (known !== undefined) return known;
    // Opens for the first thread of a process only (pidfd_open(2)): mostly that says whose thread it is.
    const own = openPidfd(tid);
    if (own !== undefined) return this.bear(tid, own, isWaiting);
    const pid = readThreadGroup(tid);
    return pid === undefined
      ? undefined
      : (this.living.get(pid) ?? this.bear(pid, openPidfd(pid), isWaiting));
  }

  private bear(pid: number, pidfd: number | undefined, isWaiting: () => boolean): Member | undefined {
    const stat = readStat(pid);
    const parent = stat === undefined ? undefined : this.living.get(stat.ppid);
    // Killed meanwhile, its pid may be another's: a stranger's parent is no member.
    const isOurs = parent !== undefined || stat?.ppid === process.pid || isWaiting();
    if (stat === undefined || !isOurs) {
      if (pidfd !== undefined) closeFd(pidfd);
      return undefined;
    }
    const member: Member = {
      pid,
      startTicks: stat.startTicks,
      startedAt: startTimeOf(stat.startTicks),
      ppid: stat.ppid,
      parent,
      request: this.requestOf(parent),
      pidfd,
      exitCode: undefined,
      // Under the supervisor from its first call on: its parent ended before that, and is not known any more.
      detached: this.hasRoot && stat.ppid === process.pid,
    };
    this.hasRoot = true;
    this.living.set(pid, member);
    this.untold.push(member);
    if (pidfd !== undefined) this.ends.add(pidfd, pid);
    return member;
  }

  /** Tells births. Whoever tells something else of a member calls this before. */
  tell(): void {
    if (this.untold.length === 0) return;
    const members = this.untold;
    this.untold = [];
    for (const member of members) {
      this.events.born(member);
      if (member.detached) this.events.detached(member);
      if (member.pidfd === undefined) this.end(member.pid);
    }
  }

  /** Tells ends, births before them. */
  collectEnds(): void {
    this.tell();
    for (const pid of this.ends.collect()) this.end(pid);
  }

  private end(pid: number): void {
    const ended = this.living.get(pid);
    if (ended === undefined) return;
    this.living.delete(pid);
    this.events.ended(ended);
    if (ended.pidfd !== undefined) closeFd(ended.pidfd);
    for (const member of this.living.values()) {
      if (member.parent === ended) this.detach(member);
    }
  }

  /** Before the thread ends. */
  close(): void {
    this.ends.close();
    for (const { pidfd } of this.living.values()) if (pidfd !== undefined) closeFd(pidfd);
    this.living.clear();
  }
}
