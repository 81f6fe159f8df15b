/** Ends a family for good: freeze, kill, look again, until nobody is left or the attempts are used up. */
import { setTimeout as delay } from 'node:timers/promises';
import { Family, type Recorded, type Signalled } from './family.ts';

/** Rounds of kill and look before a family counts as not ended. */
const maxKillRounds = 100;
const lookAgainMs = 5;
/** After a kill the kernel needs a moment to take tasks down. */
const maxVerifyLooks = 200;

/**
 * Kills until a scan finds nobody.
 *
 * @param between runs after each round: the supervisor reaps there.
 * @returns members still alive; 0 when all have ended.
 */
export async function killAll(family: Family, between: () => void): Promise<number> {
  for (let round = 0; round < maxKillRounds; round += 1) {
    family.freeze();
    family.kill();
    if (await emptied(family, between)) return 0;
  }
  return family.living().length;
}

async function emptied(family: Family, between: () => void): Promise<boolean> {
  for (let look = 0; look < maxVerifyLooks; look += 1) {
    between();
    const living = family.living();
    if (living.length === 0) return true;
    // Somebody new, or somebody who got away: kill again at once.
    if (living.some(({ state }) => state === 'R' || state === 'S')) return false;
    await delay(lookAgainMs);
  }
  return false;
}

/**
 * Waits until the family is empty or the time is over. True when it is empty.
 *
 * @param between runs before each look.
 */
export async function waitUntilEmpty(family: Family, timeoutMs: number, between: () => void): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    between();
    if (family.living().length === 0) return true;
    if (performance.now() >= until) return false;
    await delay(Math.min(20, timeoutMs));
  }
}

/** The watchdog's way: the supervisor is gone, only recorded births and their descendants are known. */
export async function endRecorded(
  members: readonly Recorded[],
): Promise<{ readonly signalled: readonly Signalled[]; readonly survivors: number }> {
  const family = new Family(undefined, () => members);
  try {
    const survivors = await killAll(family, () => undefined);
    return { signalled: family.signalled(), survivors };
  } finally {
    family.close();
  }
}
