/** Reaches the desk, and has the shim start one when there is none. */
import { access } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const retryMs = 25;
export const deskStartMs = 5000;

/**
 * The supervisor never starts the desk itself: as a subreaper it would adopt it into the family.
 *
 * @param tryOnce one attempt to connect; its reason when nobody listens.
 * @returns undefined when connected, else the last reason.
 */
export async function reachDesk(
  socketPath: string,
  shimPid: number,
  tryOnce: () => Promise<string | undefined>,
): Promise<string | undefined> {
  let reason = await tryOnce();
  if (reason === undefined) return undefined;
  process.kill(shimPid, 'SIGUSR1');
  const until = performance.now() + deskStartMs;
  while (performance.now() < until) {
    if (await exists(socketPath)) {
      reason = await tryOnce();
      if (reason === undefined) return undefined;
    }
    await delay(retryMs);
  }
  return reason;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false; // not yet
  }
}
