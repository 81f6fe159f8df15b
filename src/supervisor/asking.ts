/** What waits for a person: one ref each, told to the desk, withdrawn when its caller goes. */
import type { RequestRef } from '../core/facts.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { Member } from '../watch/seccomp/members.ts';

export interface AskingEvents {
  send(message: FromSupervisor): void;
  /** It waits for a person. */
  waiting(ref: string, request: RequestRef | undefined): void;
  settled(ref: string): void;
}

export class Asking<Held extends { readonly member: Member }> {
  private readonly waiting = new Map<string, { readonly held: Held; question?: FromSupervisor }>();
  private count = 0;

  constructor(
    private readonly kind: 'exec' | 'connection',
    private readonly events: AskingEvents,
  ) {}

  /**
   * Waits from now on; asked once its facts are known, unless it was settled meanwhile. Rejects, and waits no more, when
   * they can't be known.
   */
  async ask(held: Held, question: (ref: string) => Promise<FromSupervisor>): Promise<void> {
    this.count += 1;
    const ref = `${this.kind}-${this.count}`;
    const entry: { readonly held: Held; question?: FromSupervisor } = { held };
    this.waiting.set(ref, entry);
    this.events.waiting(ref, held.member.request);
    try {
      const asked = await question(ref);
      if (this.waiting.get(ref) !== entry) return;
      entry.question = asked;
      this.events.send(asked);
    } catch (error) {
      this.settle(ref);
      throw error;
    }
  }

  /** Undefined when it is no ref of these, or was settled before. */
  settle(ref: string): Held | undefined {
    const entry = this.waiting.get(ref);
    if (entry === undefined) return undefined;
    this.waiting.delete(ref);
    this.events.settled(ref);
    return entry.held;
  }

  /** Takes back what is asked and fulfils the condition. */
  withdraw(reason: string, isMeant: (held: Held) => boolean): Held[] {
    const taken: Held[] = [];
    for (const [ref, { held }] of this.waiting) {
      if (!isMeant(held)) continue;
      this.events.send({ kind: 'withdraw', ref, reason });
      this.settle(ref);
      taken.push(held);
    }
    return taken;
  }

  /** For a desk that has not heard them. */
  questions(): FromSupervisor[] {
    return [...this.waiting.values()].flatMap(({ question }) => (question === undefined ? [] : [question]));
  }
}
