/** Whether a supervisor may call a process a member of its family. */
import type { ProcessKey } from '../core/facts.ts';
import { lineageOf, type ProcessTable } from './peer.ts';

/**
 * Invariant: a supervisor speaks only for its own family; else it could call an editor a member. The first
 * birth must descend from it; a later one may have been adopted elsewhere, but is younger than the supervisor.
 *
 * @param isRoot it is the first birth that this supervisor tells.
 */
export function mayHaveBorn(
  { pid, startTicks, ppid }: ProcessKey & { readonly ppid: number },
  supervisor: ProcessKey,
  isRoot: boolean,
  table: ProcessTable,
): boolean {
  if (startTicks < supervisor.startTicks) return false;
  if (!isRoot) return true;
  if (table.stat(pid)?.startTicks !== startTicks) return ppid === supervisor.pid; // nobody to speak for any more
  const ancestors = lineageOf(pid, table)?.slice(1) ?? [];
  return ancestors.some((key) => key.pid === supervisor.pid && key.startTicks === supervisor.startTicks);
}
