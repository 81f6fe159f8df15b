/** The members of one family: who was born, who is alive, whose child each was. */
import type { RequestRef } from '../../core/facts.ts';
import { closeFd, onProcessEnd, openPidfd } from '../../kernel/pidfd.ts';
import { readStat, startTimeOf } from '../proc.ts';

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
  private readonly living = new Map<number, { member: Member; watch: { cancel(): void } | undefined }>();

  constructor(
    private readonly events: MemberEvents,
    /** Asked once for each birth, before it is told. */
    private readonly requestOf: (parent: Member | undefined) => RequestRef | undefined,
  ) {}

  /** The living member with this pid. */
  get(pid: number): Member | undefined {
    return this.living.get(pid)?.member;
  }

  all(): Member[] {
    return [...this.living.values()].map(({ member }) => member);
  }

  /**
   * The member a trapped call came from, born now if it is not known yet. Undefined when its process is gone.
   * Every trapped call comes from a member: only members are under the filter.
   */
  ensure(pid: number): Member | undefined {
    const known = this.living.get(pid);
    if (known !== undefined) return known.member;
    const stat = readStat(pid);
    if (stat === undefined) return undefined;
    const parent = this.living.get(stat.ppid)?.member;
    const pidfd = openPidfd(pid);
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
    const watch = pidfd === undefined ? undefined : onProcessEnd(pidfd, () => this.end(pid));
    this.living.set(pid, { member, watch });
    this.events.born(member);
    if (member.detached) this.events.detached(member);
    if (pidfd === undefined) this.end(pid);
    return member;
  }

  private end(pid: number): void {
    const entry = this.living.get(pid);
    if (entry === undefined) return;
    this.living.delete(pid);
    entry.watch?.cancel();
    this.events.ended(entry.member);
    if (entry.member.pidfd !== undefined) closeFd(entry.member.pidfd);
    for (const { member } of this.living.values()) {
      if (member.parent === entry.member && !member.detached) {
        member.detached = true;
        this.events.detached(member);
      }
    }
  }

  /** Before the thread ends. */
  close(): void {
    for (const { member, watch } of this.living.values()) {
      watch?.cancel();
      if (member.pidfd !== undefined) closeFd(member.pidfd);
    }
    this.living.clear();
  }
}
