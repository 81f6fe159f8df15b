/**
 * Notices when the watch thread stood still: stopped, starved, or kept busy by one family. What happened meanwhile
 * was held by the kernel, not lost; it was seen late. What lasts longer than {@link lookMs} and
 * {@link lateMs} together is always noticed, something shorter when a look falls due in it.
 */

/** How often it looks: more often, an idle session would cost more than it may (0.1 % of a processor). */
export const lookMs = 1000;
/** Later than this is told. */
export const lateMs = 250;

/**
 * @param late called once for each time that the thread came back more than {@link lateMs} late.
 * @param now milliseconds that go on while the process is stopped, and stand while the machine sleeps.
 * @returns ends it.
 */
export function watchLateness(late: () => void, now = (): number => performance.now()): () => void {
  let due = now() + lookMs;
  const timer = setInterval(() => {
    const at = now();
    if (at - due > lateMs) late();
    due = at + lookMs;
  }, lookMs).unref();
  return () => clearInterval(timer);
}
