/**
 * Families that an earlier desk recorded. A living supervisor has a few seconds to take its family up again; every
 * other family is ended: nobody watches it. Invariant: only a process of this boot whose pid and start time are the
 * recorded ones is ever signalled.
 */
import type { ProcessKey } from '../core/facts.ts';
import type { ProcessView } from '../protocol/desk.ts';
import { readCmdline, readExe, readStat, startTimeOf } from '../watch/proc.ts';
import type { Census } from './census.ts';
import type { Containment } from './containment.ts';
import type { RecordedFamily } from './familyFile.ts';
import { mirrorArguments } from './mask.ts';
import { memberKey, type Sessions } from './sessions.ts';
import { leftBehind } from './wording.ts';

export interface LeftoverParts {
  readonly bootId: string;
  readonly sessions: Sessions;
  readonly containment: Containment;
  readonly census: Census;
  readonly isAlive: (key: ProcessKey) => boolean;
  /** Sweeps that a living supervisor has. Counted, not timed: a desk that stood still has heard nobody meanwhile. */
  readonly takeUpSweeps: number;
}

export class Leftovers {
  private readonly waiting = new Map<string, { readonly family: RecordedFamily; sweeps: number }>();

  /** From the first moment on, nobody recorded may pass for a stranger (DESIGN invariant 3). */
  constructor(
    families: readonly RecordedFamily[],
    private readonly parts: LeftoverParts,
  ) {
    for (const family of families) {
      this.waiting.set(family.session, { family, sweeps: 0 });
      if (family.bootId !== parts.bootId) continue;
      for (const member of family.members) parts.census.addMember(member);
      parts.census.addSupervisor(family.supervisor);
      parts.census.addClient({
        pid: family.facts.client.pid,
        startTicks: family.facts.client.startTicks,
      });
    }
  }

  /** Not taken up and not ended yet: they stay in the file. */
  list(): RecordedFamily[] {
    return [...this.waiting.values()].map(({ family }) => family);
  }

  get isAny(): boolean {
    return this.waiting.size > 0;
  }

  /** Looks at each: taken up, still waited for, or to be ended now. */
  sweep(): void {
    const { bootId, sessions, isAlive, takeUpSweeps } = this.parts;
    for (const [id, entry] of this.waiting) {
      const { family } = entry;
      if (sessions.get(id) !== undefined) {
        this.waiting.delete(id);
        sessions.membersChanged();
        continue;
      }
      const isWaitedFor = family.bootId === bootId && isAlive(family.supervisor);
      entry.sweeps += 1;
      if (isWaitedFor && entry.sweeps <= takeUpSweeps) continue;
      this.waiting.delete(id);
      this.end(family, isWaitedFor);
    }
  }

  private end(family: RecordedFamily, isSupervisorAlive: boolean): void {
    const { bootId, sessions, containment, isAlive } = this.parts;
    const isSameBoot = family.bootId === bootId;
    // What is older than its supervisor was never started by it, whoever wrote it down.
    const members = family.members.filter(({ startTicks }) => startTicks >= family.supervisor.startTicks);
    const known = new Map<string, ProcessKey>();
    const processes: ProcessView[] = [];
    for (const member of isSameBoot ? members : []) {
      const startedAt = startTimeOf(member.startTicks);
      known.set(memberKey({ pid: member.pid, startedAt }), member);
      if (isAlive(member)) processes.push(processNow(member, startedAt));
    }
    const session = sessions.recover(family, known, processes, {
      level: 'sampled',
      text: leftBehind.coverage,
      gaps: {},
    });
    const cause = !isSameBoot ? leftBehind.reboot : isSupervisorAlive ? leftBehind.silent : leftBehind.alone;
    void containment.endWithoutSupervisor(session, isSameBoot ? family.supervisor : undefined, cause);
  }
}

function processNow({ pid }: ProcessKey, startedAt: string): ProcessView {
  const exe = readExe(pid);
  return {
    pid,
    startedAt,
    ppid: readStat(pid)?.ppid ?? 0,
    state: 'running',
    argv: mirrorArguments((readCmdline(pid) ?? []).map((part) => part.toString('utf8'))),
    detached: true,
    ...(exe === undefined ? {} : { exe }),
  };
}
