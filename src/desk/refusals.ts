/** A refusal is written and shown, whoever was refused; whoever is refused in a loop is counted. */
import type { FromDesk } from '../protocol/desk.ts';
import { type Counted, Loops } from './loops.ts';
import type { Records } from './records.ts';
import type { Reviewers } from './reviewers.ts';
import type { Session, Sessions } from './sessions.ts';
import { refusalsCounted } from './wording.ts';

export type Refusal = Omit<Extract<FromDesk, { kind: 'refusal' }>, 'kind' | 'at'>;

/** Of one rule and one program, of one session or of all peers. */
const limits = { mostListed: 20, mostNames: 20 };
/** The name of what is counted, in a session's coverage. */
const gap = 'refusals not listed';

type First = Pick<Refusal, 'session' | 'what' | 'rule'>;

export class Refusals {
  private readonly loops: Loops<First>;

  constructor(
    private readonly records: Records,
    private readonly reviewers: Reviewers,
    private readonly sessions: () => Pick<Sessions, 'get' | 'countGap'>,
    /** Milliseconds that never step back. */
    clock: () => number = () => performance.now(),
  ) {
    this.loops = new Loops(limits, (counted) => this.counted(counted), clock);
  }

  /** @param exe the refused peer's program, or the one that was not started. */
  report(refusal: Refusal, exe = ''): void {
    if (!this.isListed(refusal, exe)) return;
    this.records.note({ kind: 'refusal', ...refusal });
    this.reviewers.broadcast({ kind: 'refusal', ...refusal, at: new Date().toISOString() });
  }

  /** Counts it. False when it is one too many to be written and shown by itself. */
  isListed({ session, what, rule }: First, exe: string): boolean {
    if (this.loops.isListed({ ...(session === undefined ? {} : { session }), what, rule }, exe)) return true;
    const known = session === undefined ? undefined : this.sessions().get(session);
    if (known !== undefined) this.sessions().countGap(known, gap);
    return false;
  }

  sweep(): void {
    this.loops.sweep();
  }

  /** The session is about to end. */
  ending({ id }: Session): void {
    this.loops.ending(id);
  }

  closeAll(): void {
    this.loops.closeAll();
  }

  private counted({ of, name: exe, count, since, until }: Counted<First>): void {
    this.records.note({ kind: 'refusals counted', ...of, exe, count, since, until });
    const text = refusalsCounted(count, of.rule, exe, since);
    this.reviewers.broadcast({ kind: 'refusal', ...of, text, at: until });
  }
}
