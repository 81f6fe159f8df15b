/** What is asked and written about a start. */
import { randomUUID } from 'node:crypto';
import { startCard, withinReach } from '../core/consequence/card.ts';
import type { Decider, RecordBody } from '../journal/record.ts';
import type { Question, Rule } from '../protocol/desk.ts';
import type { ToSupervisor } from '../protocol/toSupervisor.ts';
import { credentialFiles } from '../watch/credentialFiles.ts';
import type { Questions } from './questions.ts';
import type { Records } from './records.ts';
import type { Reviewers } from './reviewers.ts';
import type { Session } from './sessions.ts';
import { startAllowed, startDenied } from './wording.ts';

export type Scope = 'once' | 'session';

export type StartVerdict =
  | { readonly kind: 'allow'; readonly scope: Scope }
  | { readonly kind: 'deny'; readonly rule: Rule };

/** Nothing runs yet, so there is nothing to contain. No `expiresAt`: it stays open for rejoining. */
export function startQuestion(session: Session, heldUntil: string, folders: readonly string[]): Question {
  const card = startCard(session.facts, folders);
  const id = randomUUID();
  return {
    kind: 'question',
    id,
    session: session.id,
    server: session.view.server,
    ...card,
    group: id,
    options: ['deny', 'once', 'session'],
    askedAt: new Date().toISOString(),
    heldUntil,
  };
}

/** Looks for credential files near the server while its question is open: no start waits for that. */
export async function pointOut(
  start: { readonly session: Session; question: Question },
  parts: { readonly questions: Questions; readonly records: Records; readonly reviewers: Reviewers },
): Promise<void> {
  const { id, facts } = start.session;
  const { files, complete } = await credentialFiles([facts.cwd, ...parts.reviewers.workspaceFolders()]);
  const row = withinReach(files, complete, facts);
  if (row === null) return;
  parts.records.note({ kind: 'credential files', session: id, files, complete });
  const rows = start.question.rows.flatMap((one) => (one.label === 'In' ? [one, row] : [one]));
  start.question = { ...start.question, rows };
  parts.questions.renew(start.question);
}

export function recordOf(
  session: Session,
  by: Decider,
  text: string,
): Omit<Extract<RecordBody, { kind: 'decision' }>, 'allow'> {
  const { executable } = session.facts.program;
  return {
    kind: 'decision',
    session: session.id,
    transition: 'first start',
    by,
    subject: executable.path,
    ...(executable.digest === undefined ? {} : { digest: executable.digest }),
    text,
  };
}

export function decisionOf(server: string, verdict: StartVerdict): ToSupervisor {
  const decision = { kind: 'decision', ref: 'start' } as const;
  if (verdict.kind === 'deny') {
    const { rule } = verdict;
    return { ...decision, allow: false, rule, text: startDenied(server, rule) };
  }
  const { scope } = verdict;
  return { ...decision, allow: true, scope, text: startAllowed(server, scope) };
}
