/** Ends a family for good: freeze, kill, look again, until nobody is left or the attempts are used up. */
import { setTimeout as delay } from 'node:timers/promises';
import { countUnreadable } from '../watch/proc.ts';
import { Family, type Recorded, type Signalled } from './family.ts';

/** Looks before a family counts as not ended: about five seconds. */
const maxLooks = 1000;
const lookAgainMs = 5;

/**
 * Stops and kills until a scan finds nobody.
 *
 * @param between runs before each look: the supervisor reaps there.
 * @returns members still alive; 0 when all have ended.
 */
export async function killAll(family: Family, between: () => void): Promise<number> {
  for (let look = 0; look < maxLooks; look += 1) {
    between();
    if (family.living().length === 0) return 0;
    family.freeze();
    family.kill();
    // The kernel needs a moment to take the tasks down.
    await delay(lookAgainMs);
  }
  return family.living().length;
}

/**
 * Waits until the family is empty or the time is over. True when it is empty.
 *
 * @param between runs before each look.
 */
export async function waitUntilEmpty(
  family: Family,
  timeoutMs: number,
  between: () => void,
): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    between();
    if (family.living().length === 0) return true;
    if (performance.now() >= until) return false;
    await delay(Math.min(20, timeoutMs));
  }
}

/** For a certificate that is not proved: whether the scans saw every process. Empty when they did. */
export function scanGaps(): string[] {
  const unseen = countUnreadable();
  if (unseen === 0) return [];
  return [
    `${unseen} ${unseen === 1 ? 'process' : 'processes'} of this machine could not be looked at: the tree may be partial`,
  ];
}

/** The watchdog's way: the supervisor is gone, only recorded births and their descendants are known. */
export async function endRecorded(members: readonly Recorded[]): Promise<{
  readonly signalled: readonly Signalled[];
  readonly survivors: number;
  readonly gaps: readonly string[];
}> {
  const family = new Family(undefined, () => members);
  try {
    const survivors = await killAll(family, () => undefined);
    return { signalled: family.signalled(), survivors, gaps: scanGaps() };
  } finally {
    family.close();
  }
}
