/**
 * Nobody decides by accident: for 600 ms after a card appears, opens or moves, its buttons take nothing
 * (DESIGN §4). Pure; times are those of the events themselves (`event.timeStamp`, milliseconds), so that a
 * press made before the card was there does not count when a busy page delivers it late.
 */
export const guardMs = 600;

/** Less than this is rounding, not a move. */
const stillPx = 2;

export class Guard {
  private since = Number.NEGATIVE_INFINITY;
  private top: number | undefined;
  private pressedAt: number | undefined;

  /** Tells where the buttons are. True when that is news, and the wait began anew. */
  seen(top: number, at: number): boolean {
    if (this.top !== undefined && Math.abs(top - this.top) <= stillPx) return false;
    this.top = top;
    this.since = at;
    return true;
  }

  /** The buttons are not on screen: when they come back, they appear. */
  gone(): void {
    this.top = undefined;
    this.pressedAt = undefined;
  }

  /** A press began: pointer down, or a key that was not held before. */
  pressed(at: number): void {
    this.pressedAt = at;
  }

  /** Whether a click counts. Assistive technology clicks without a press. */
  accepts(at: number): boolean {
    const began = Math.min(at, this.pressedAt ?? at);
    this.pressedAt = undefined;
    return began >= this.since + guardMs;
  }

  /** Milliseconds until a press would count; the whole wait while the buttons were not seen yet. */
  remaining(at: number): number {
    if (this.top === undefined) return guardMs;
    return Math.max(0, this.since + guardMs - at);
  }
}
