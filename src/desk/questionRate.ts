/** How many questions a session may ask: more than a person could answer is a flood, and is denied (THREATS 11). */
import type { Session } from './sessions.ts';

const mostAsked = 100;
const windowMs = 60_000;

export class QuestionRate {
  private readonly windows = new WeakMap<Session, { readonly since: number; asked: number }>();

  /** @param clock milliseconds that never step back. */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  mayAsk(session: Session): boolean {
    const now = this.clock();
    const open = this.windows.get(session);
    if (open === undefined || now - open.since >= windowMs) {
      this.windows.set(session, { since: now, asked: 1 });
      return true;
    }
    open.asked += 1;
    return open.asked <= mostAsked;
  }
}
