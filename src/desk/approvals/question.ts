/** A held thing's question: its card, with whom it belongs to and how long its caller waits. */
import { randomUUID } from 'node:crypto';
import type { Question } from '../../protocol/desk.ts';
import type { Session } from '../sessions.ts';
import type { Matter } from './matter.ts';

export function questionOf(
  session: Session,
  matter: Matter,
  heldUntil: string,
  workspaceFolders: readonly string[],
): Question {
  const { facts } = matter;
  const { server, client } = session.view;
  const id = randomUUID();
  return {
    kind: 'question',
    id,
    session: session.id,
    server,
    ...matter.card({ server, session: session.id, client, workspaceFolders }),
    group: facts.request === undefined ? id : `${session.id}#${facts.request.number}`,
    options: ['deny', 'once', 'session', 'contain'],
    askedAt: new Date().toISOString(),
    // Of the first: whoever joins later is answered with it, never after its caller gave up.
    expiresAt: heldUntil,
    heldUntil,
    process: { pid: facts.pid, startedAt: facts.startedAt },
    ...(facts.request === undefined ? {} : { request: facts.request }),
  };
}
