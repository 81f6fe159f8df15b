/** A refusal as the desk hears it. */
import type { Rule } from '../protocol/desk.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { Member } from '../watch/seccomp/members.ts';

type Refusal = Extract<FromSupervisor, { kind: 'refusal' }>;

/** @param exe the program that was not started, or that made the refused call; absent when it can't be told. */
export function refusalOf(
  { pid, startedAt, request }: Pick<Member, 'pid' | 'startedAt' | 'request'>,
  what: Refusal['what'],
  rule: Rule,
  text: string,
  exe?: string,
): Refusal {
  return {
    kind: 'refusal',
    pid,
    startedAt,
    what,
    rule,
    text,
    ...(exe === undefined ? {} : { exe }),
    ...(request === undefined ? {} : { request }),
    at: new Date().toISOString(),
  };
}
