/**
 * A refusal is written and shown, whoever was refused. Whoever is refused in a loop is written a number of times a
 * minute and then counted: neither the journal nor a panel may be filled by it (THREATS 11).
 */
import type { FromDesk } from '../protocol/desk.ts';
import type { Records } from './records.ts';
import type { Reviewers } from './reviewers.ts';
import type { Session, Sessions } from './sessions.ts';
import { refusalsCounted } from './wording.ts';

export type Refusal = Omit<Extract<FromDesk, { kind: 'refusal' }>, 'kind' | 'at'>;

/** Listed of one rule and one program, in one minute, of one session or of all peers. */
const mostListed = 20;
const windowMs = 60_000;
/** Programs told apart in one minute; a family that invents names has the rest counted together. */
const mostPrograms = 20;
/** The name of what is counted, in a session's coverage. */
const gap = 'refusals not listed';

interface Window {
  readonly since: number;
  readonly startedAt: string;
  readonly first: Pick<Refusal, 'session' | 'what' | 'rule'>;
  readonly exe: string;
  seen: number;
}

export class Refusals {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly records: Records,
    private readonly reviewers: Reviewers,
    private readonly sessions: () => Pick<Sessions, 'get' | 'countGap'>,
    /** Milliseconds that never step back. */
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** @param exe the refused peer's program, or the one that was not started. */
  report(refusal: Refusal, exe = ''): void {
    if (!this.isListed(refusal, exe)) return;
    this.records.note({ kind: 'refusal', ...refusal });
    this.reviewers.broadcast({ kind: 'refusal', ...refusal, at: new Date().toISOString() });
  }

  /** Counts it. False when it is one too many to be written and shown by itself. */
  isListed({ session, what, rule }: Pick<Refusal, 'session' | 'what' | 'rule'>, exe: string): boolean {
    const window = this.window({ ...(session === undefined ? {} : { session }), what, rule }, exe);
    window.seen += 1;
    if (window.seen <= mostListed) return true;
    const known = session === undefined ? undefined : this.sessions().get(session);
    if (known !== undefined) this.sessions().countGap(known, gap);
    return false;
  }

  /** Closes the minutes that are over. */
  sweep(): void {
    const now = this.clock();
    for (const [key, window] of this.windows) if (now - window.since >= windowMs) this.close(key, window);
  }

  /** The session is about to end: what was counted of it stands in front of its end. */
  ending({ id }: Session): void {
    for (const [key, window] of this.windows) if (window.first.session === id) this.close(key, window);
  }

  closeAll(): void {
    for (const [key, window] of this.windows) this.close(key, window);
  }

  private window(first: Window['first'], exe: string): Window {
    const scope = JSON.stringify([first.session ?? null, first.what, first.rule]);
    const named = `${scope} ${exe}`;
    const known = this.windows.get(named);
    if (known !== undefined) return known;
    const programs = [...this.windows.values()].filter((other) => other.first.session === first.session);
    const isOneTooMany = programs.length >= mostPrograms;
    const key = isOneTooMany ? scope : named;
    const shared = this.windows.get(key);
    if (shared !== undefined) return shared;
    const startedAt = new Date().toISOString();
    const window = { since: this.clock(), startedAt, first, exe: isOneTooMany ? '' : exe, seen: 0 };
    this.windows.set(key, window);
    return window;
  }

  private close(key: string, { first, exe, seen, startedAt }: Window): void {
    this.windows.delete(key);
    const count = seen - mostListed;
    if (count <= 0) return;
    const until = new Date().toISOString();
    this.records.note({ kind: 'refusals counted', ...first, exe, count, since: startedAt, until });
    const text = refusalsCounted(count, first.rule, exe, startedAt);
    this.reviewers.broadcast({ kind: 'refusal', ...first, text, at: until });
  }
}
