/** Collects the ends of members that hang under the supervisor, so that no zombie keeps a family from being empty. */
import { signalName } from '../kernel/numbers.ts';
import { reapChild } from '../kernel/process.ts';
import { readStat } from '../watch/proc.ts';
import type { Member } from '../watch/seccomp/members.ts';

/** Ended children remembered for one living parent before those it collected itself are forgotten. */
const rememberedChildren = 64;

export class Reaper {
  /** Ended members whose parent lives: the parent collects them, or leaves them to us when it ends. */
  private readonly left = new Map<Member, Member[]>();

  constructor(
    /** The server itself belongs to Node's own spawn: collected here, its `exit` event would be lost. */
    private readonly isRoot: (member: Member) => boolean,
    private readonly isAlive: (member: Member) => boolean,
  ) {}

  /** In words: `exit 0`, `signal SIGKILL`, or `unknown` when only its parent could know. */
  ended(member: Member): string {
    for (const child of this.left.get(member) ?? []) reapChild(child.pid);
    this.left.delete(member);
    const told = member.exitCode === undefined ? 'unknown' : `exit ${member.exitCode}`;
    if (this.isRoot(member)) return told;
    const { parent } = member;
    if (parent !== undefined && this.isAlive(parent)) {
      this.leave(parent, member);
      return told;
    }
    const status = reapChild(member.pid);
    if (status === undefined) return told;
    return status.kind === 'exit' ? `exit ${status.code}` : `signal ${signalName(status.signal)}`;
  }

  private leave(parent: Member, child: Member): void {
    const children = this.left.get(parent) ?? [];
    children.push(child);
    const kept =
      children.length <= rememberedChildren
        ? children
        : children.filter(({ pid, startTicks }) => readStat(pid)?.startTicks === startTicks);
    this.left.set(parent, kept);
  }
}
