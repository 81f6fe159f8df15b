/** What waits for a person, and the beat that tells the client so. */

/** Requests that a hold concerns; `undefined` for all in flight. */
type Concerned = Set<number> | undefined;

export class Holds {
  private readonly open = new Set<{ readonly concerned: Concerned }>();
  private timer: NodeJS.Timeout | undefined;

  /** @param beat called at once and then every `intervalMs` while anything is held. */
  constructor(
    private readonly intervalMs: number,
    private readonly beat: (concerned: Concerned) => void,
  ) {}

  get active(): boolean {
    return this.open.size > 0;
  }

  /** @param numbers empty: all requests in flight. @returns release; safe to call twice. */
  add(numbers: readonly number[]): () => void {
    const hold = { concerned: numbers.length === 0 ? undefined : new Set(numbers) };
    this.open.add(hold);
    this.beat(hold.concerned);
    this.timer ??= setInterval(() => this.beat(this.together()), this.intervalMs);
    return () => this.close(hold);
  }

  /** The client gave this request up: a hold that was for it alone is over. */
  cancelled(number: number): void {
    for (const hold of this.open) {
      if (hold.concerned?.delete(number) === true && hold.concerned.size === 0) this.close(hold);
    }
  }

  /** Ends all holds. */
  clear(): void {
    for (const hold of this.open) this.close(hold);
  }

  private close(hold: { readonly concerned: Concerned }): void {
    this.open.delete(hold);
    if (this.active) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private together(): Concerned {
    const all = new Set<number>();
    for (const { concerned } of this.open) {
      if (concerned === undefined) return undefined;
      for (const number of concerned) all.add(number);
    }
    return all;
  }
}
