/** Ends one process: TERM, a moment, then KILL. Through a descriptor checked against its start time. */
import { setTimeout as delay } from 'node:timers/promises';
import { closeFd, openPidfd, signalPidfd } from '../kernel/pidfd.ts';
import { signals } from '../kernel/numbers.ts';
import { readStat } from '../watch/proc.ts';
import type { Recorded } from './family.ts';

const patienceMs = 1000;
const lookAgainMs = 10;

/** What happened, in words for the one who asked. */
export async function stopOne({ pid, startTicks }: Recorded): Promise<string> {
  const fd = openPidfd(pid);
  if (fd === undefined) return 'it had ended already';
  try {
    if (hasEnded(pid, startTicks)) return 'it had ended already';
    signalPidfd(fd, signals.SIGTERM);
    // A stopped process does not see TERM until it goes on.
    signalPidfd(fd, signals.SIGCONT);
    if (await endsWithin(pid, startTicks, patienceMs)) return 'ended by SIGTERM';
    signalPidfd(fd, signals.SIGKILL);
    return (await endsWithin(pid, startTicks, patienceMs)) ? 'ended by SIGKILL' : 'still there after SIGKILL';
  } finally {
    closeFd(fd);
  }
}

/** A zombie has ended: only its parent has not looked yet. */
function hasEnded(pid: number, startTicks: number): boolean {
  const stat = readStat(pid);
  return stat?.startTicks !== startTicks || stat.ended;
}

async function endsWithin(pid: number, startTicks: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (;;) {
    if (hasEnded(pid, startTicks)) return true;
    if (performance.now() > until) return false;
    await delay(lookAgainMs);
  }
}
