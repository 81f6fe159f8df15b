/** Which pages of another process lie in a window, one behind the other in the order of their addresses. */

export const pageSize = 4096;

export interface Place {
  /** Where the address lies in the window. */
  readonly from: number;
  /** Where the pages that follow it without a gap end. */
  readonly to: number;
}

export class PageWindow {
  /** Page numbers, ascending. */
  private chosen: number[] = [];
  private ends: number[] = [];
  private last = 0;

  constructor(private readonly most: number) {}

  get count(): number {
    return this.chosen.length;
  }

  /**
   * Chooses the pages of these addresses, as many as there is room for.
   *
   * @returns the index behind the last address whose page is chosen.
   */
  choose(addresses: readonly number[], next: number): number {
    const chosen: number[] = [];
    let until = next;
    let before = -1;
    for (; until < addresses.length; until += 1) {
      const page = Math.floor((addresses[until] ?? 0) / pageSize);
      if (page === before || chosen.includes(page)) continue;
      if (chosen.length === this.most) break;
      chosen.push(page);
      before = page;
    }
    this.chosen = chosen.toSorted((a, b) => a - b);
    this.last = 0;
    return until;
  }

  /** Writes the runs of pages as `struct iovec`s, and gives their number. */
  describe(iovecs: Buffer): number {
    this.ends = [];
    let runs = 0;
    for (let first = 0; first < this.chosen.length;) {
      const page = this.chosen[first] ?? 0;
      let behind = first + 1;
      while (this.chosen[behind] === page + behind - first) behind += 1;
      iovecs.writeBigUInt64LE(BigInt(page * pageSize), 16 * runs);
      iovecs.writeBigUInt64LE(BigInt((behind - first) * pageSize), 16 * runs + 8);
      for (; first < behind; first += 1) this.ends.push(behind * pageSize);
      runs += 1;
    }
    return runs;
  }

  /** Of an address in a chosen page. */
  placeOf(address: number): Place {
    const page = Math.floor(address / pageSize);
    if (this.chosen[this.last] !== page) this.last = this.chosen.indexOf(page);
    return { from: this.last * pageSize + (address % pageSize), to: this.ends[this.last] ?? 0 };
  }
}
