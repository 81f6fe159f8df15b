/**
 * What happens in a loop is listed a number of times a minute and then counted: neither the journal nor a panel may
 * be filled by it (THREATS 11).
 */
const windowMs = 60_000;

export interface LoopLimits {
  /** Listed of one thing and one name, in one minute. */
  readonly mostListed: number;
  /** Names told apart in one minute of one session; a family that invents names has the rest counted together. */
  readonly mostNames: number;
}

/** What was counted and not listed, when its minute is over. */
export interface Counted<Of> {
  readonly of: Of;
  /** Empty for several. */
  readonly name: string;
  readonly count: number;
  /** RFC 3339 UTC. */
  readonly since: string;
  readonly until: string;
}

interface Window<Of> {
  readonly from: number;
  readonly since: string;
  readonly of: Of;
  readonly name: string;
  seen: number;
}

export class Loops<Of extends { readonly session?: string | undefined }> {
  private readonly windows = new Map<string, Window<Of>>();

  constructor(
    private readonly limits: LoopLimits,
    /** Called once for each minute in which something was not listed. */
    private readonly counted: (counted: Counted<Of>) => void,
    /** Milliseconds that never step back. */
    private readonly clock: () => number,
  ) {}

  /** Counts it. False when it is one too many to be listed by itself. */
  isListed(of: Of, name: string): boolean {
    const window = this.window(of, name);
    window.seen += 1;
    return window.seen <= this.limits.mostListed;
  }

  /** Closes the minutes that are over. */
  sweep(): void {
    const now = this.clock();
    for (const [key, window] of this.windows) if (now - window.from >= windowMs) this.close(key, window);
  }

  /** The session is about to end: what was counted of it stands in front of its end. */
  ending(session: string): void {
    for (const [key, window] of this.windows) if (window.of.session === session) this.close(key, window);
  }

  closeAll(): void {
    for (const [key, window] of this.windows) this.close(key, window);
  }

  private window(of: Of, name: string): Window<Of> {
    const scope = JSON.stringify(of);
    const named = `${scope} ${name}`;
    const known = this.windows.get(named);
    if (known !== undefined) return known;
    const names = [...this.windows.values()].filter((other) => other.of.session === of.session);
    const isOneTooMany = names.length >= this.limits.mostNames;
    const key = isOneTooMany ? scope : named;
    const shared = this.windows.get(key);
    if (shared !== undefined) return shared;
    const since = new Date().toISOString();
    const window = { from: this.clock(), since, of, name: isOneTooMany ? '' : name, seen: 0 };
    this.windows.set(key, window);
    return window;
  }

  private close(key: string, { of, name, seen, since }: Window<Of>): void {
    this.windows.delete(key);
    const count = seen - this.limits.mostListed;
    if (count > 0) this.counted({ of, name, count, since, until: new Date().toISOString() });
  }
}
