/**
 * Released programs until it is known what started. A C library's first call confirms them before `main`; a program
 * without one makes no such call, and a member can hide it with a filter of its own (THREATS 6). Those are looked at
 * by `/proc` instead: shortly after their release, and before any other call of theirs that is trapped goes on.
 */
import { readStat } from '../proc.ts';
import {
  changedSince,
  differs,
  type Expectation,
  isJudgedFile,
  isSameFile,
  readStarted,
  type Started,
} from './confirm.ts';
import type { Member } from './members.ts';

/** After the release. Later looks, each at twice the time, find an exec that took long. */
const looksMs = [1, 5, 20];
/** A program that has not confirmed itself by now is counted. */
const countMs = 1000;
const mostUnread = 4;

export interface UnconfirmedEvents {
  confirmed(member: Member, started: Started): void;
  mismatch(member: Member, expected: string, found: string): void;
  /** A number of the session's coverage went up by one. */
  gap(what: string): void;
}

interface Pending {
  readonly expectation: Expectation;
  /** What the member ran before; undefined for a fork that has not run anything yet. */
  readonly before: Started | undefined;
  readonly since: number;
  looks: number;
  timer: NodeJS.Timeout | undefined;
  /** Looks at which it lived and could not be read. */
  unread: number;
  /** It was told as confirmed. */
  told: boolean;
  /** The confirming call came, maybe from beside the exec: the program is the same before and after. */
  called: boolean;
}

type Found =
  | { readonly kind: 'not yet' | 'gone' | 'as before' }
  | { readonly kind: 'same'; readonly started: Started }
  | { readonly kind: 'other'; readonly what: string };

export class Unconfirmed {
  private readonly pending = new Map<Member, Pending>();
  /** What each member was last confirmed to run. */
  private readonly images = new Map<Member, Started>();

  constructor(
    private readonly events: UnconfirmedEvents,
    /** For tests. */
    private readonly read = readStarted,
  ) {}

  released(member: Member, expectation: Expectation): void {
    clearTimeout(this.pending.get(member)?.timer);
    const pending: Pending = {
      expectation,
      before: this.images.get(member),
      since: performance.now(),
      looks: 0,
      timer: undefined,
      unread: 0,
      told: false,
      called: false,
    };
    this.pending.set(member, pending);
    this.lookLater(member, pending);
  }

  /**
   * The confirming call of a program that starts, or of a fork: nothing runs before it is answered.
   *
   * @param started what `/proc` says now; undefined when it can't be read.
   * @returns false when it must never be answered: it was told, and is about to be ended.
   */
  confirmingCall(member: Member, started: Started | undefined): boolean {
    const pending = this.pending.get(member);
    const before = this.images.get(member);
    const fault = started === undefined ? 'a program that cannot be read' : faultOf(pending, before, started);
    if (started === undefined || fault !== undefined) {
      this.differs(member, fault ?? '', pending, before);
      return false;
    }
    const wasTold = pending?.told === true;
    if (pending?.before !== undefined && changedSince(pending.before, started) === undefined) {
      // It may have come from beside the exec, which then is still under way.
      pending.told = true;
      pending.called = true;
    } else this.drop(member);
    this.images.set(member, started);
    if (!wasTold) this.events.confirmed(member, started);
    return true;
  }

  /**
   * Before another trapped call of the member goes on.
   *
   * @returns false when the call must never be answered, as above.
   */
  mayGoOn(member: Member, isExit: boolean): boolean {
    const pending = this.pending.get(member);
    if (pending === undefined) return true;
    const found = this.look(member, pending);
    if (found.kind === 'other') {
      this.differs(member, found.what, pending, pending.before);
      return false;
    }
    if (found.kind === 'same') this.tell(member, pending, found.started);
    // The exec has failed: whoever exits is who asked for it.
    else if (isExit && found.kind === 'not yet') this.drop(member);
    return true;
  }

  ended(member: Member): void {
    const pending = this.pending.get(member);
    this.drop(member);
    this.images.delete(member);
    if (pending === undefined || pending.called) return;
    this.events.gap(
      pending.told ? 'programs confirmed late' : 'programs that ended before they were confirmed',
    );
  }

  /** Before the thread ends. */
  close(): void {
    for (const { timer } of this.pending.values()) clearTimeout(timer);
    this.pending.clear();
  }

  private lookLater(member: Member, pending: Pending): void {
    const afterMs = looksMs[pending.looks] ?? 2 * (performance.now() - pending.since);
    const leftMs = pending.since + afterMs - performance.now();
    pending.timer = setTimeout(() => this.lookAgain(member, pending), Math.min(Math.max(leftMs, 1), countMs));
    pending.timer.unref();
  }

  private lookAgain(member: Member, pending: Pending): void {
    pending.looks += 1;
    const found = this.look(member, pending);
    if (found.kind === 'gone') return; // its end is told by itself
    if (found.kind === 'other') {
      this.differs(member, found.what, pending, pending.before);
      return;
    }
    // Sooner it is most likely on its way to the call.
    if (found.kind === 'same' && pending.looks >= looksMs.length) this.tell(member, pending, found.started);
    if (pending.told && performance.now() - pending.since >= countMs) {
      this.drop(member);
      if (!pending.called) this.events.gap('programs confirmed late');
      return;
    }
    this.lookLater(member, pending);
  }

  /**
   * What is another program is looked at again: an exec between the reads shows the file of the program before with the
   * arguments of the one that was released. A second look finds the exec done.
   */
  private look(member: Member, pending: Pending): Found {
    const found = this.lookOnce(member, pending);
    return found.kind === 'other' ? this.lookOnce(member, pending) : found;
  }

  private lookOnce(member: Member, pending: Pending): Found {
    const { expectation, before } = pending;
    const stat = readStat(member.pid);
    if (stat === undefined || stat.ended || stat.startTicks !== member.startTicks) return { kind: 'gone' };
    // A first thread that has ended shows nothing of the others; one of them may be in the exec.
    if (!stat.hasExecuted || stat.state === 'Z') return { kind: 'not yet' };
    const started = this.read(member.pid);
    if (started === undefined) {
      // For a moment so does whoever ends.
      pending.unread += 1;
      return pending.unread < mostUnread
        ? { kind: 'not yet' }
        : { kind: 'other', what: 'a program that cannot be read' };
    }
    const other: Found = { kind: 'other', what: started.exe };
    const told = pending.told ? this.images.get(member) : undefined;
    // What was told may change its arguments by itself: only another file is another program then.
    if (told !== undefined) return isSameFile(told, started) ? { kind: 'as before' } : other;
    const fault = differs(expectation, started);
    const isBefore = before !== undefined && changedSince(before, started) === undefined;
    if (isBefore) return { kind: fault === undefined ? 'as before' : 'not yet' };
    if (fault === undefined) return { kind: 'same', started };
    // While the kernel sets it up it has no arguments, and then no environment yet.
    const isBegun = started.isBlank && isJudgedFile(expectation, started);
    return isBegun ? { kind: 'not yet' } : { kind: 'other', what: fault };
  }

  private tell(member: Member, pending: Pending, started: Started): void {
    if (pending.told) return;
    pending.told = true;
    this.images.set(member, started);
    this.events.confirmed(member, started);
  }

  private differs(
    member: Member,
    found: string,
    pending: Pending | undefined,
    before: Started | undefined,
  ): void {
    const released = pending?.expectation.look.executable.facts.path ?? before?.exe ?? 'nothing';
    this.drop(member);
    this.events.mismatch(member, released, found);
  }

  private drop(member: Member): void {
    clearTimeout(this.pending.get(member)?.timer);
    this.pending.delete(member);
  }
}

/**
 * A member can make the confirming call by itself, while another of its threads is inside a released exec, and so
 * use the expectation up before the new program starts: what runs then must still be what was confirmed before.
 * Without either it is a fork's first word, in the image it was born with.
 */
function faultOf(
  pending: Pending | undefined,
  before: Started | undefined,
  started: Started,
): string | undefined {
  if (pending !== undefined && !pending.told) return differs(pending.expectation, started);
  return before === undefined ? undefined : changedSince(before, started);
}
