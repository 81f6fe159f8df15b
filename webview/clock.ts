/**
 * The host's time, as told by the last state. It ticks only while somebody watches a countdown.
 */
const tickMs = 500;

export class Clock {
  private offsetMs = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly watchers = new Set<() => void>();

  /** @param now the host's time at this moment, RFC 3339. */
  set(now: string): void {
    const host = Date.parse(now);
    if (!Number.isNaN(host)) this.offsetMs = host - Date.now();
  }

  /** Milliseconds since the epoch, on the host. */
  now(): number {
    return Date.now() + this.offsetMs;
  }

  watch(watcher: () => void): void {
    this.watchers.add(watcher);
    this.timer ??= setInterval(() => {
      for (const each of this.watchers) each();
    }, tickMs);
  }

  unwatch(watcher: () => void): void {
    this.watchers.delete(watcher);
    if (this.watchers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
