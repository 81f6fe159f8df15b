/** The client's requests that the server has not answered yet. */
import type { RequestId } from '../../protocol/jsonrpc.ts';

export interface Pending {
  readonly id: RequestId;
  /** Ordinal in the session from 1; absent for a ping, which nobody counts. */
  number?: number;
  readonly method: string;
  tool?: string;
  wantsProgress?: RequestId;
  /** The last progress the client was told, by the server or by the relay. */
  progress?: number;
  /** Text of a denial to put into the result. */
  denied?: string;
}

/** How many settled ids are remembered so that a late answer is known as one. */
const rememberedIds = 1024;

export class Requests {
  /** By {@link RequestId.key}, in the order of asking. */
  private readonly byKey = new Map<string, Pending>();
  private readonly byNumber = new Map<number, Pending>();
  private readonly byToken = new Map<string, Pending>();
  /** Cancelled by the client, or answered by the relay: the client waits no more. */
  private readonly settled = new Set<string>();
  private counted = 0;

  has(id: RequestId): boolean {
    return this.byKey.has(id.key);
  }

  nextNumber(): number {
    this.counted++;
    return this.counted;
  }

  add(pending: Pending): void {
    this.settled.delete(pending.id.key);
    this.byKey.set(pending.id.key, pending);
    if (pending.number !== undefined) this.byNumber.set(pending.number, pending);
    if (pending.wantsProgress !== undefined) this.byToken.set(pending.wantsProgress.key, pending);
  }

  /**
   * Whose answer this is. Servers that keep numbers as doubles write `1.0` or `9007199254740992` for what
   * was asked as `1` or `9007199254740993`; their clients often match such ids, so an equal number counts
   * when no id is the same.
   */
  find(id: RequestId): Pending | undefined {
    const exact = this.byKey.get(id.key);
    if (exact !== undefined || id.raw.startsWith('"')) return exact;
    const value = Number(id.raw);
    for (const pending of this.byKey.values()) {
      if (!pending.id.raw.startsWith('"') && Number(pending.id.raw) === value) return pending;
    }
    return undefined;
  }

  numbered(number: number): Pending | undefined {
    return this.byNumber.get(number);
  }

  withToken(token: RequestId): Pending | undefined {
    return this.byToken.get(token.key);
  }

  /** @param late remembers the id: an answer that still comes has no taker. */
  remove(pending: Pending, late: boolean): void {
    this.byKey.delete(pending.id.key);
    if (pending.number !== undefined) this.byNumber.delete(pending.number);
    const token = pending.wantsProgress?.key;
    if (token !== undefined && this.byToken.get(token) === pending) this.byToken.delete(token);
    if (!late) return;
    this.settled.add(pending.id.key);
    if (this.settled.size > rememberedIds)
      for (const oldest of this.settled) {
        this.settled.delete(oldest);
        break;
      }
  }

  isSettled(id: RequestId): boolean {
    return this.settled.has(id.key);
  }

  all(): readonly Pending[] {
    return [...this.byKey.values()];
  }
}
