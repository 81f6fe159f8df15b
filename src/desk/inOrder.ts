/** A supervisor's messages one after the other, also while one of them waits for a digest. */
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { Digests } from './digests.ts';

export class InOrder {
  /** Set while a message waits; what came after it. */
  private queued: FromSupervisor[] | undefined;
  private isOver = false;

  constructor(
    private readonly digests: Digests,
    private readonly act: (message: FromSupervisor) => void,
    /** The connection has ended, and everything that came before has been acted on. */
    private readonly ended: () => void,
  ) {}

  take(message: FromSupervisor): void {
    if (this.queued !== undefined) {
      this.queued.push(message);
      return;
    }
    const asks = message.kind === 'open' || message.kind === 'ask';
    if (!asks || this.digests.isComplete(message.facts.program)) {
      this.act(message);
      return;
    }
    this.queued = [];
    void this.digests.complete(message.facts.program).then((program) => {
      const queued = this.queued ?? [];
      this.queued = undefined;
      if (message.kind === 'open') this.act({ ...message, facts: { ...message.facts, program } });
      else this.act({ ...message, facts: { ...message.facts, program } });
      for (const next of queued) this.take(next);
      if (this.isOver && this.queued === undefined) this.ended();
    });
  }

  end(): void {
    this.isOver = true;
    if (this.queued === undefined) this.ended();
  }
}
