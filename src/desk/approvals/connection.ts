/** A held connection, listener or hand-over: DESIGN §3, transition 2. */
import { connectionCard, connectionTransition } from '../../core/consequence/card.ts';
import type { ConnectionFacts } from '../../core/facts.ts';
import { destinationKey } from '../../core/transition/judgeConnection.ts';
import { programIdentity } from '../identity.ts';
import type { Session } from '../sessions.ts';
import type { Traffic } from '../traffic.ts';
import { connectionAllowed, connectionDenied, connectionSubject } from '../wording.ts';
import type { Matter } from './matter.ts';

export function connectionMatter(session: Session, facts: ConnectionFacts, traffic: Traffic): Matter {
  const identity = programIdentity(facts.program);
  const file = facts.program.script ?? facts.program.executable;
  const { endpoint, host } = facts;
  const destination = destinationKey(facts);
  const byName = host === undefined || endpoint.kind !== 'inet' ? undefined : endpoint.address;
  return {
    facts,
    transition: connectionTransition(facts),
    what: 'socket',
    subject: {
      subject: connectionSubject(facts),
      ...(file.digest === undefined ? {} : { digest: file.digest }),
    },
    grant: identity === undefined ? undefined : JSON.stringify(['connection', identity, destination]),
    // A program that cannot be told from another joins only itself.
    joins: JSON.stringify(
      identity === undefined ? [facts.pid, facts.startedAt, destination] : [identity, destination],
    ),
    address: byName === undefined ? undefined : { destination, address: byName },
    card: (context) => connectionCard(facts, context),
    allowed: (scope) => connectionAllowed(facts, scope),
    denied: (rule) => connectionDenied(facts, rule),
    held: () => traffic.held(session, facts),
    answered: (refusedBy) =>
      refusedBy === undefined ? traffic.allowed(session, facts) : traffic.refused(session, facts),
  };
}
