/** Longest delay that Node's timers take. */
const maxDelayMs = 2 ** 31 - 1;

/**
 * Runs `act` at `at` (milliseconds since the epoch; the past and a date that is none mean at once), and never
 * before this call has returned.
 *
 * @returns cancels it.
 */
export function timerUntil(at: number, act: () => void): () => void {
  const delayMs = Number.isNaN(at) ? 0 : Math.min(Math.max(at - Date.now(), 0), maxDelayMs);
  const timer = setTimeout(act, delayMs);
  return () => clearTimeout(timer);
}
