/** Reaches the desk, and has the shim start one when there is none. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const retryMs = 25;
export const deskStartMs = 5000;

/** What came of one attempt to connect. */
export type Attempt =
  | { readonly kind: 'connected' }
  /** Nobody listens, or whoever did has gone: a desk may be started. */
  | { readonly kind: 'none'; readonly reason: string }
  /** Somebody answered, and not with a welcome: trying again changes nothing. */
  | { readonly kind: 'refused'; readonly text: string };

/**
 * The supervisor never starts the desk itself: as a subreaper it would adopt it into the family.
 *
 * @param tryOnce one attempt to connect.
 * @returns how the last attempt ended.
 */
export async function reachDesk(
  socketPath: string,
  shimPid: number,
  tryOnce: () => Promise<Attempt>,
): Promise<Attempt> {
  let attempt = await tryOnce();
  if (attempt.kind !== 'none') return attempt;
  if (!ask(shimPid)) return attempt;
  const until = performance.now() + deskStartMs;
  while (performance.now() < until) {
    if (existsSync(socketPath)) {
      attempt = await tryOnce();
      if (attempt.kind !== 'none') return attempt;
    }
    await delay(retryMs);
  }
  return attempt;
}

/** False when the shim is gone: then the session ends anyway. */
function ask(shimPid: number): boolean {
  try {
    return process.kill(shimPid, 'SIGUSR1');
  } catch {
    return false; // ESRCH
  }
}
