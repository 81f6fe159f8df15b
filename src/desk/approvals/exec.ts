/** A held program: DESIGN §3, transition 1. */
import { execCard } from '../../core/consequence/card.ts';
import type { ExecFacts } from '../../core/facts.ts';
import { programIdentity } from '../identity.ts';
import { mirrorArguments } from '../mask.ts';
import type { Session, Sessions } from '../sessions.ts';
import { withAnswered, withExec } from '../sessionView.ts';
import { execAllowed, execDenied } from '../wording.ts';
import type { Matter } from './matter.ts';

export function execMatter(session: Session, facts: ExecFacts, sessions: Sessions): Matter {
  const file = facts.program.script ?? facts.program.executable;
  return {
    facts,
    transition: 'new executable',
    what: 'exec',
    subject: { subject: file.path, ...(file.digest === undefined ? {} : { digest: file.digest }) },
    grant: programIdentity(facts.program),
    joins: undefined,
    address: undefined,
    card: (context) => execCard(facts, context),
    allowed: (scope) => execAllowed(facts, scope),
    denied: (rule) => execDenied(facts, rule),
    held: () => {
      const exec = {
        pid: facts.pid,
        startedAt: facts.startedAt,
        exe: facts.program.executable.path,
        argv: mirrorArguments(facts.argv),
        cwd: facts.cwd,
        ...(facts.request === undefined ? {} : { request: facts.request }),
      };
      sessions.update(session, withExec(session.view, exec, 'held'), {
        kind: 'exec',
        session: session.id,
        ...exec,
        step: 'held',
      });
    },
    answered: (refusedBy) => sessions.update(session, withAnswered(session.view, facts, refusedBy)),
  };
}
