/**
 * Births and ends on their way to the main thread, which ends the family by them. Gathered for some milliseconds: a
 * program that was born and has ended meanwhile is no news.
 */
import type { Member } from '../watch/seccomp/members.ts';
import type { FromWatch, MemberKey } from './threads.ts';

const gatherMs = 10;

export class MemberNews {
  private born = new Map<Member, MemberKey>();
  private gone: MemberKey[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isGathering = true;

  constructor(private readonly say: (message: FromWatch) => void) {}

  birth(member: Member): void {
    const { pid, startTicks, startedAt } = member;
    this.born.set(member, { pid, startTicks, startedAt });
    this.later();
  }

  end(member: Member): void {
    if (this.born.delete(member)) return;
    const { pid, startTicks, startedAt } = member;
    this.gone.push({ pid, startTicks, startedAt });
    this.later();
  }

  /** The family ends: everything is told at once from now on. */
  tellAtOnce(): void {
    this.isGathering = false;
    this.flush();
  }

  private later(): void {
    if (this.isGathering) this.timer ??= setTimeout(() => this.flush(), gatherMs);
    else this.flush();
  }

  /** Before anything else that is said of a member. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.born.size === 0 && this.gone.length === 0) return;
    const born = [...this.born.values()];
    const { gone } = this;
    this.born = new Map();
    this.gone = [];
    this.say({ kind: 'members', born, gone });
  }
}
