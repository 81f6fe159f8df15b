/** Starts that a client may repeat. A grant dies with the process it was given to: pid and start time. */
import type { ProcessKey } from '../core/facts.ts';

export class StartGrants {
  /** `pid startTicks` of the client → start identity → the question that allowed it. */
  private readonly byClient = new Map<string, Map<string, string>>();

  find(client: ProcessKey, identity: string): string | undefined {
    return this.byClient.get(keyOf(client))?.get(identity);
  }

  add(client: ProcessKey, identity: string, question: string): void {
    const grants = this.byClient.get(keyOf(client)) ?? new Map<string, string>();
    this.byClient.set(keyOf(client), grants.set(identity, question));
  }

  sweep(isAlive: (key: ProcessKey) => boolean): void {
    for (const key of this.byClient.keys()) {
      const [pid, startTicks] = key.split(' ').map(Number);
      if (pid === undefined || startTicks === undefined || !isAlive({ pid, startTicks }))
        this.byClient.delete(key);
    }
  }
}

function keyOf({ pid, startTicks }: ProcessKey): string {
  return `${pid} ${startTicks}`;
}
