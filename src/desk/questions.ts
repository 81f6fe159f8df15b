/** The open questions. Invariant: a question closes once; the first answer counts and what comes later is told so. */
import type { ProcessKey } from '../core/facts.ts';
import type { Choice, FromDesk, Question } from '../protocol/desk.ts';
import type { Records } from './records.ts';
import type { Reviewers } from './reviewers.ts';

/** Who waits for the answer. */
export interface Asker {
  /** Writes the decision, then releases or denies. Gives the choice that came into force. */
  answered(choice: Choice, by: ProcessKey): Promise<Choice>;
}

type Outcome = Extract<FromDesk, { kind: 'answered' }>['outcome'];

/** Ids of closed questions that are kept, to tell a late answer from a second one. */
const maxClosed = 2_000;

export class Questions {
  private readonly open = new Map<string, { question: Question; readonly asker: Asker }>();
  private readonly answeredIds = new Set<string>();

  constructor(
    private readonly records: Records,
    private readonly reviewers: Reviewers,
  ) {}

  list(): Question[] {
    return [...this.open.values()].map(({ question }) => question);
  }

  ask(question: Question, asker: Asker): void {
    this.open.set(question.id, { question, asker });
    this.reviewers.broadcast(question);
  }

  /** The same question with another time limit, or with more on its card. */
  renew(question: Question): void {
    const entry = this.open.get(question.id);
    if (entry === undefined) return;
    entry.question = question;
    this.reviewers.broadcast(question);
  }

  /** Closes it without an answer. False when it was closed before: then somebody else decides. */
  withdraw(id: string, reason: string): boolean {
    if (!this.open.delete(id)) return false;
    this.reviewers.broadcast({ kind: 'withdrawn', id, reason });
    return true;
  }

  /** @param reply tells an answer that decided nothing to the one who gave it. */
  async answer(
    id: string,
    choice: Choice,
    by: ProcessKey,
    reply: (message: FromDesk) => void,
  ): Promise<void> {
    const entry = this.open.get(id);
    if (entry !== undefined && !entry.question.options.includes(choice)) {
      const offered = entry.question.options.join(', ');
      reply({
        kind: 'failed',
        request: 'answer',
        reason: `${choice} is not offered here; answer with ${offered}`,
      });
      return;
    }
    if (entry === undefined) {
      const outcome: Outcome = this.answeredIds.has(id) ? 'already answered' : 'late';
      this.records.note({ kind: 'answer ignored', question: id, choice, by: reviewer(by), outcome });
      reply({ kind: 'answered', id, choice, outcome });
      return;
    }
    this.open.delete(id);
    this.remember(id);
    const inForce = await entry.asker.answered(choice, by);
    this.reviewers.broadcast({ kind: 'answered', id, choice: inForce, outcome: 'accepted' });
  }

  private remember(id: string): void {
    this.answeredIds.add(id);
    const [oldest] = this.answeredIds;
    if (this.answeredIds.size > maxClosed && oldest !== undefined) this.answeredIds.delete(oldest);
  }
}

export function reviewer({ pid, startTicks }: ProcessKey): { kind: 'reviewer' } & ProcessKey {
  return { kind: 'reviewer', pid, startTicks };
}
