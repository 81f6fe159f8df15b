/** A supervisor's `open`: a new session, or one that it takes up again after a lost desk. */
import type { FromSupervisor } from '../protocol/supervisor.ts';
import { bootId } from '../watch/proc.ts';
import { lineageOf, type ProcessTable } from './peer.ts';
import type { Persistence } from './persistence.ts';
import type { Records } from './records.ts';
import type { RolePort } from './role.ts';
import type { Session, Sessions, SupervisorPort } from './sessions.ts';
import type { StartApprovals } from './startApprovals.ts';

export interface OpeningParts {
  readonly sessions: Sessions;
  readonly starts: StartApprovals;
  readonly persistence: Persistence;
  readonly records: Records;
  readonly table: ProcessTable;
}

/**
 * @param resumed the session of its hello, to take up again.
 * @returns undefined when it was refused, and told so.
 */
export function openSession(
  { facts, heldUntil }: Extract<FromSupervisor, { kind: 'open' }>,
  supervisor: SupervisorPort,
  port: RolePort,
  resumed: string | undefined,
  { sessions, starts, persistence, records, table }: OpeningParts,
): Session | undefined {
  const { pid, startTicks } = supervisor.peer;
  const ancestors = lineageOf(pid, table)?.slice(1) ?? [];
  const { client } = facts;
  if (!ancestors.some((key) => key.pid === client.pid && key.startTicks === client.startTicks)) {
    const text = `process ${pid} was not started by the client it names (process ${client.pid})`;
    port.refuse('supervisor', 'not an ancestor of the family', text);
    return undefined;
  }
  if (resumed === undefined) return starts.open(facts, supervisor, heldUntil);
  if (!/^[0-9a-f]{10}$/u.test(resumed) || sessions.get(resumed) !== undefined) {
    port.malformed('that session cannot be resumed here; end its family and start it again');
    return undefined;
  }
  const session = sessions.open(facts, supervisor, resumed);
  records.note({
    kind: 'session opened',
    session: resumed,
    entry: 'resumed',
    supervisor: { pid, startTicks },
    bootId: bootId(),
    facts,
  });
  supervisor.send({ kind: 'opened', session: resumed });
  persistence.begin(session, true);
  return session;
}
