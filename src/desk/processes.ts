/** The desk's looks at live processes, each checked against its start time. */
import type { ProcessKey } from '../core/facts.ts';
import { readCmdline, readStat } from '../watch/proc.ts';
import type { ProcessTable } from './peer.ts';

export const processTable: ProcessTable = {
  stat: readStat,
  cmdline: (pid) => readCmdline(pid)?.map((part) => part.toString('utf8')),
};

/** False for a zombie: it has ended and only waits to be reaped. */
export function isAlive(key: ProcessKey): boolean {
  const stat = readStat(key.pid);
  return stat !== undefined && stat.startTicks === key.startTicks && !stat.ended;
}
