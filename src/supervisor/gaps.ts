/** Counted gaps of the watch (DESIGN invariant 7): what was not seen or not held appears as a number on the session. */
import type { Coverage } from '../protocol/desk.ts';

/** Numbers change in bursts; a person reads them later. */
const tellMs = 1000;

export class Gaps {
  private readonly counts = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly text: string,
    private readonly tell: (coverage: Coverage) => void,
  ) {}

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.tell(this.coverage());
    }, tellMs).unref();
  }

  coverage(): Coverage {
    return { level: 'held', text: this.text, gaps: Object.fromEntries(this.counts) };
  }
}
