/** Which program each member runs, as it was judged: whose connection it is, and whose grants it has. */
import { statSync } from 'node:fs';
import type { Argument } from '../core/facts.ts';
import type { ProgramLook } from '../watch/program.ts';
import type { Member } from '../watch/seccomp/members.ts';

export interface RunningProgram {
  readonly identity: string;
  readonly look: ProgramLook;
  /** Variables that make it load or run other code and that are not the session's own. */
  readonly environment: readonly Argument[];
  readonly argv: readonly Argument[];
  readonly cwd: string;
}

export class Programs {
  private readonly current = new Map<Member, RunningProgram>();
  /** Released and not confirmed: the exec may still fail, and its caller go on as what it was. */
  private readonly next = new Map<Member, RunningProgram>();

  /** The family's first member starts as the program that was approved; told once. */
  private hasRoot = false;

  /**
   * @param root what the family's first member starts as; others begin as what their parent was. One whose parent had
   * ended before it was seen begins as nothing known: what it says of itself in `/proc` it could have written there.
   */
  born(member: Member, root: RunningProgram | undefined): void {
    const isFirst = !this.hasRoot;
    this.hasRoot = true;
    const program =
      member.parent === undefined ? (isFirst ? root : undefined) : this.current.get(member.parent);
    if (program !== undefined) this.current.set(member, program);
  }

  released(member: Member, program: RunningProgram): void {
    this.next.set(member, program);
  }

  confirmed(member: Member): void {
    const program = this.next.get(member);
    if (program === undefined) return;
    this.next.delete(member);
    this.current.set(member, program);
  }

  ended(member: Member): void {
    this.current.delete(member);
    this.next.delete(member);
  }

  /**
   * What it runs now, by the kernel's word. An exec that failed must lend nobody its program's grants, and one that
   * was not confirmed (no C library) must not go under its caller's name. Undefined when neither fits.
   */
  of(member: Member): RunningProgram | undefined {
    let file: { readonly dev: bigint; readonly ino: bigint };
    try {
      file = statSync(`/proc/${member.pid}/exe`, { bigint: true });
    } catch {
      return undefined; // gone or unreadable
    }
    return [this.current.get(member), this.next.get(member)].find(
      (program) =>
        program?.look.executable.facts.device === file.dev.toString() &&
        program.look.executable.facts.inode === file.ino.toString(),
    );
  }
}
