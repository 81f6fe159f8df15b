/** A start that waits for an answer or a launch, and what its approvals work with. */
import type { ProcessKey } from '../core/facts.ts';
import type { Question } from '../protocol/desk.ts';
import type { Persistence } from './persistence.ts';
import type { Questions } from './questions.ts';
import type { Records } from './records.ts';
import type { Refusals } from './refusals.ts';
import type { Reviewers } from './reviewers.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Scope } from './startQuestion.ts';

export interface Start {
  readonly session: Session;
  readonly client: ProcessKey;
  /** Undefined when the thing cannot be told from another: then nothing rejoins and nothing is repeated. */
  readonly identity: string | undefined;
  question: Question;
  /** Runs while a supervisor waits. */
  cancelWait: (() => void) | undefined;
  /** Allowed while nobody waited. */
  allowed: { readonly scope: Scope; readonly untilMs: number } | undefined;
}

export interface StartParts {
  readonly sessions: Sessions;
  readonly questions: Questions;
  readonly records: Records;
  readonly reviewers: Reviewers;
  readonly refusals: Refusals;
  readonly persistence: Pick<Persistence, 'begin'>;
}
