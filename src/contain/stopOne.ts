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
    if (readStat(pid)?.startTicks !== startTicks) return 'it had ended already';
    signalPidfd(fd, signals.SIGTERM);
    // A stopped process does not see TERM until it goes on.
    signalPidfd(fd, signals.SIGCONT);
    if (await hasEnded(pid, startTicks, patienceMs)) return 'ended by SIGTERM';
    signalPidfd(fd, signals.SIGKILL);
    return (await hasEnded(pid, startTicks, patienceMs)) ? 'ended by SIGKILL' : 'still there after SIGKILL';
  } finally {
    closeFd(fd);
  }
}

async function hasEnded(pid: number, startTicks: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (;;) {
    const stat = readStat(pid);
    if (stat?.startTicks !== startTicks || stat.state === 'Z' || stat.state === 'X') return true;
    if (performance.now() > until) return false;
    await delay(lookAgainMs);
  }
}
