/**
 * Supervisors that say nothing any more: stopped, starved, or blinded (THREATS 5). Silence is counted in sweeps of
 * the desk, never in time: a desk that was itself stopped or starved has read everything that waited before the
 * next sweep, and counts one.
 */
import type { Containment } from './containment.ts';
import type { Sessions } from './sessions.ts';

/** @param supervisorSilent ends the family, and the supervisor with it. */
export function sweepSilent(
  sessions: Sessions,
  mostSweeps: number,
  supervisorSilent: (...of: Parameters<Containment['endWithoutSupervisor']>) => void,
  cause: string,
): void {
  for (const session of sessions.living()) {
    if (session.supervisor === undefined || session.ranFrom === undefined) continue;
    session.quietSweeps += 1;
    if (session.quietSweeps > mostSweeps) supervisorSilent(session, session.supervisor.peer, cause);
  }
}
