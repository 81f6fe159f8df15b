/**
 * Notices when the watch thread stood still: stopped, starved, or kept busy by one family. What happened meanwhile
 * was held by the kernel, not lost; it was seen late. A wait shorter than a look and {@link lateMs} together may pass.
 */

/** How often it looks: four wake-ups a second, which an idle session does not feel. */
export const lookMs = 250;
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
