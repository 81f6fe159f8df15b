/**
 * What is held: asked, answered, denied when nobody answers. Invariant: the supervisor hears a decision only after its
 * record is on the disk; a record that cannot be written makes it a denial.
 */
import type { ProcessKey } from '../../core/facts.ts';
import type { Decider, RecordBody } from '../../journal/record.ts';
import type { Choice, Question, Rule } from '../../protocol/desk.ts';
import { QuestionRate } from '../questionRate.ts';
import { type Asker, type Questions, reviewer } from '../questions.ts';
import type { Records } from '../records.ts';
import type { Refusals } from '../refusals.ts';
import type { Reviewers } from '../reviewers.ts';
import type { Session, Sessions } from '../sessions.ts';
import { timerUntil } from '../timer.ts';
import type { Matter } from './matter.ts';
import { questionOf } from './question.ts';
import { SameName, type Verdict } from './sameName.ts';

/** One open question, and everything that its answer releases or refuses together. */
interface Held {
  readonly session: Session;
  readonly question: Question;
  /** By the supervisor's reference. The first one asked. */
  readonly matters: Map<string, Matter>;
  cancelExpiry: () => void;
  cancelAlone: () => void;
}

type Decision = Extract<RecordBody, { kind: 'decision' }>;
type Asked = { readonly question: Question; readonly choice?: Choice };

/** Joined matters of one question that are written one by one; a family may ask and go away in a loop. */
const mostJoinedWritten = 20;
const joinedGap = 'connections not listed';

export interface ApprovalParts {
  readonly sessions: Sessions;
  readonly questions: Questions;
  readonly records: Records;
  readonly reviewers: Reviewers;
  readonly refusals: Pick<Refusals, 'isListed'>;
  readonly noReviewerMs: number;
  /** Contains the session of an answer `contain`. */
  readonly contain: (session: Session, by: Decider) => void;
}

export class Approvals {
  private readonly held = new Map<string, Held>();
  private readonly rate = new QuestionRate();
  private readonly sameName = new SameName();

  constructor(private readonly parts: ApprovalParts) {}

  async ask(session: Session, ref: string, matter: Matter, heldUntil: string): Promise<void> {
    matter.held();
    const asked = new Map([[ref, matter]]);
    const deny = (rule: Rule): Promise<boolean> =>
      this.decide(session, asked, { kind: 'deny', rule }, { kind: 'desk' });
    if (session.view.state === 'ending' || session.containedAt !== undefined) {
      await deny('family is ending');
      return;
    }
    const { script, executable } = matter.facts.program;
    if ([script, executable].some((file) => file && this.parts.reviewers.isUntrusted(file.path))) {
      await deny('defined in an untrusted workspace');
      return;
    }
    const granted = matter.grant === undefined ? undefined : session.grants.get(matter.grant);
    const earlier: { verdict: Verdict; question: string } | undefined =
      granted === undefined
        ? this.sameName.find(session, matter)
        : { verdict: { kind: 'allow', scope: 'session' }, question: granted };
    if (earlier !== undefined) {
      await this.decide(session, asked, earlier.verdict, { kind: 'grant', question: earlier.question });
      return;
    }
    const open = this.held.get(keyOf(session, ref, matter));
    if (open !== undefined) {
      this.join(open, ref, matter);
      return;
    }
    if (!this.rate.mayAsk(session)) {
      await deny('too many questions at once');
      return;
    }
    this.hold(session, ref, matter, heldUntil);
  }

  /** A connection was made there: what the process tries there next is a question of its own. */
  reached(
    session: Session,
    process: { readonly pid: number; readonly startedAt: string },
    place: string,
  ): void {
    this.sameName.reached(session, process, place);
  }

  /** The caller went away or cancelled: nobody is waiting for the answer any more. */
  withdraw(session: Session, ref: string, reason: string): void {
    const held = [...this.held.values()].find((entry) => entry.session === session && entry.matters.has(ref));
    const matter = held?.matters.get(ref);
    if (held === undefined || matter === undefined) return;
    if (held.matters.size > 1) {
      held.matters.delete(ref); // the others still wait for the same answer
      matter.answered('caller went away');
      return;
    }
    if (!this.parts.questions.withdraw(held.question.id, reason)) return;
    this.forget(held);
    matter.answered('caller went away');
    this.parts.records.note({
      ...recordOf(session, matter),
      question: held.question.id,
      by: { kind: 'desk' },
      allow: false,
      rule: 'caller went away',
      text: reason,
    });
  }

  /** Closes everything a session still holds. */
  async denyAll(session: Session, rule: Rule): Promise<void> {
    const held = [...this.held.values()].filter((entry) => entry.session === session);
    await Promise.all(held.map((entry) => this.close(entry, rule)));
  }

  /** The first reviewer came, or the last one went. */
  reviewersChanged(isAny: boolean): void {
    for (const held of this.held.values()) {
      held.cancelAlone();
      if (!isAny) this.waitAlone(held);
    }
  }

  private hold(session: Session, ref: string, matter: Matter, heldUntil: string): void {
    const { reviewers, records, questions } = this.parts;
    const question = questionOf(session, matter, heldUntil, reviewers.workspaceFolders());
    const matters = new Map([[ref, matter]]);
    const held: Held = { session, question, matters, cancelExpiry: nothing, cancelAlone: nothing };
    held.cancelExpiry = timerUntil(Date.parse(heldUntil), () => void this.close(held, 'no answer in time'));
    if (!reviewers.isAny) this.waitAlone(held);
    this.held.set(keyOf(session, ref, matter), held);
    records.note({ kind: 'question asked', question, facts: matter.facts });
    const asker: Asker = { answered: (choice, by) => this.answered(held, choice, by) };
    questions.ask(question, asker);
  }

  private join(held: Held, ref: string, matter: Matter): void {
    held.matters.set(ref, matter);
    const { facts } = matter;
    if (!('endpoint' in facts)) return;
    if (held.matters.size > mostJoinedWritten) this.parts.sessions.countGap(held.session, joinedGap);
    else this.parts.records.note({ kind: 'question joined', question: held.question.id, facts });
  }

  private waitAlone(held: Held): void {
    const until = Date.now() + this.parts.noReviewerMs;
    held.cancelAlone = timerUntil(until, () => void this.close(held, 'no reviewer connected'));
  }

  private async answered(held: Held, choice: Choice, by: ProcessKey): Promise<Choice> {
    this.forget(held);
    const { session, question, matters } = held;
    const verdict: Verdict =
      choice === 'once' || choice === 'session'
        ? { kind: 'allow', scope: choice }
        : { kind: 'deny', rule: choice === 'contain' ? 'contained by reviewer' : 'denied by reviewer' };
    const stood = await this.decide(session, matters, verdict, reviewer(by), { question, choice });
    if (!stood) return 'deny';
    this.sameName.remember(session, [...matters.values()], verdict, question.id);
    const [first] = matters.values();
    if (choice === 'session' && first?.grant !== undefined) session.grants.set(first.grant, question.id);
    return choice;
  }

  private async close(held: Held, rule: Rule): Promise<void> {
    if (!this.parts.questions.withdraw(held.question.id, rule)) return;
    this.forget(held);
    const { session, question, matters } = held;
    await this.decide(session, matters, { kind: 'deny', rule }, { kind: 'desk' }, { question });
  }

  /** Writes, then tells the supervisor. False when it became a denial because it could not be written. */
  private async decide(
    session: Session,
    matters: ReadonlyMap<string, Matter>,
    verdict: Verdict,
    by: Decider,
    asked?: Asked,
  ): Promise<boolean> {
    const [first] = matters.values();
    if (first === undefined) return true;
    const allowed = verdict.kind === 'allow';
    const text = allowed ? first.allowed(verdict.scope) : first.denied(verdict.rule);
    const isWritten = await this.write(!allowed && asked === undefined ? first : undefined, {
      ...recordOf(session, first),
      ...(asked === undefined ? {} : { question: asked.question.id }),
      by,
      ...(asked?.choice === undefined ? {} : { choice: asked.choice }),
      allow: allowed,
      ...(allowed ? { scope: verdict.scope } : { rule: verdict.rule }),
      text,
    });
    // A denial stands, written or not; nothing but an allow needs its record first.
    const inForce: Verdict =
      isWritten || !allowed ? verdict : { kind: 'deny', rule: 'record could not be written' };
    // Before the decision goes out, so that the containment stands in front of it.
    if (asked?.choice === 'contain') this.parts.contain(session, by);
    for (const [ref, matter] of matters) {
      session.supervisor?.send(
        inForce.kind === 'allow'
          ? { kind: 'decision', ref, allow: true, scope: inForce.scope, text }
          : { kind: 'decision', ref, allow: false, rule: inForce.rule, text: matter.denied(inForce.rule) },
      );
      matter.answered(inForce.kind === 'allow' ? undefined : inForce.rule);
    }
    return inForce === verdict;
  }

  /** @param unasked denied without a person: in a loop it is counted, and stands all the same. */
  private async write(unasked: Matter | undefined, body: Decision): Promise<boolean> {
    const { session, subject, rule } = body;
    const { refusals, records } = this.parts;
    if (unasked !== undefined && rule !== undefined) {
      if (!refusals.isListed({ session, what: unasked.what, rule }, subject)) return false;
    }
    return records.decide(body);
  }

  private forget(held: Held): void {
    held.cancelExpiry();
    held.cancelAlone();
    for (const [key, entry] of this.held) if (entry === held) this.held.delete(key);
  }
}

function nothing(): void {
  // No timer runs yet.
}

function keyOf(session: Session, ref: string, { joins }: Matter): string {
  return JSON.stringify(joins === undefined ? [session.id, 'ref', ref] : [session.id, 'place', joins]);
}

function recordOf(session: Session, { transition, subject }: Matter) {
  return { kind: 'decision' as const, session: session.id, transition, ...subject };
}
