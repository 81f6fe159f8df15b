/** Ends a family whose supervisor is gone. What it can say is less than the supervisor's own word: `proved` is false. */
import { leftOutside } from '../core/consequence/outside.ts';
import type { ProcessKey } from '../core/facts.ts';
import type { Certificate } from '../protocol/desk.ts';
import { reasonOf } from './deskError.ts';
import type { Session } from './sessions.ts';

/** `contain/end.ts`, given as a parameter. */
export type EndRecorded = (members: readonly ProcessKey[]) => Promise<{
  readonly signalled: readonly {
    readonly pid: number;
    readonly startedAt: string;
    readonly command: string;
    readonly signals: readonly { readonly signal: string; readonly at: string }[];
  }[];
  readonly survivors: number;
  readonly gaps: readonly string[];
}>;

/**
 * @param supervisor ended with its family when it still lives: it no longer answers for it, and whoever it
 * started unrecorded is found below it.
 */
export async function endOrphaned(
  session: Session,
  supervisor: ProcessKey | undefined,
  cause: string,
  endRecorded: EndRecorded,
): Promise<Certificate> {
  const requestedAt = new Date().toISOString();
  const started = performance.now();
  const members = [...session.members.values(), ...(supervisor === undefined ? [] : [supervisor])];
  const gaps = ['ended by the desk without the supervisor: no evidence, no proof of emptiness'];
  let signalled: Certificate['signalled'] = [];
  let survivors = session.members.size;
  try {
    const result = await endRecorded(members);
    signalled = result.signalled.map((entry) => ({ ...entry, signals: [...entry.signals] }));
    survivors = result.survivors;
    gaps.push(...result.gaps);
  } catch (error) {
    gaps.push(`the end failed: ${reasonOf(error)}`);
  }
  return {
    session: session.id,
    cause,
    signalled,
    survivors,
    proved: false,
    outside: [
      ...new Set(session.view.processes.flatMap(({ exe, argv }) => leftOutside(exe ?? '', argv) ?? [])),
    ],
    evidence: null,
    gaps,
    requestedAt,
    durationMs: Math.round(performance.now() - started),
    evidenceMs: 0,
  };
}
