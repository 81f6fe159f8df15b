/**
 * Held programs: asked, answered, denied when nobody answers. Invariant: the supervisor hears a decision only
 * after its record is on the disk; a record that cannot be written makes it a denial.
 */
import { randomUUID } from 'node:crypto';
import { execCard } from '../core/consequence/card.ts';
import type { ExecFacts, ProcessKey } from '../core/facts.ts';
import type { Choice, Question, Rule } from '../protocol/desk.ts';
import { programIdentity } from './identity.ts';
import { mirrorArguments } from './mask.ts';
import { type Asker, type Questions, reviewer } from './questions.ts';
import type { Decider, RecordBody } from '../journal/record.ts';
import { QuestionRate } from './questionRate.ts';
import type { Records } from './records.ts';
import type { Refusals } from './refusals.ts';
import type { Reviewers } from './reviewers.ts';
import type { Session, Sessions } from './sessions.ts';
import { withAnswered, withExec } from './sessionView.ts';
import { timerUntil } from './timer.ts';
import { execAllowed, execDenied } from './wording.ts';

interface Held {
  readonly session: Session;
  readonly ref: string;
  readonly facts: ExecFacts;
  readonly question: Question;
  cancelExpiry: () => void;
  cancelAlone: () => void;
}

type Decision = Extract<RecordBody, { kind: 'decision' }>;

type Verdict =
  | { readonly kind: 'allow'; readonly scope: 'once' | 'session' }
  | { readonly kind: 'deny'; readonly rule: Rule };

export class ExecApprovals {
  private readonly held = new Map<string, Held>();
  private readonly rate = new QuestionRate();

  constructor(
    private readonly sessions: Sessions,
    private readonly questions: Questions,
    private readonly records: Records,
    private readonly reviewers: Reviewers,
    private readonly noReviewerMs: number,
    /** Contains the session of an answer `contain`. */
    private readonly contain: (session: Session, by: Decider) => void,
    private readonly refusals: Pick<Refusals, 'isListed'>,
  ) {}

  async ask(session: Session, ref: string, facts: ExecFacts, heldUntil: string): Promise<void> {
    const { program } = facts;
    this.show(session, facts);
    if (session.view.state === 'ending' || session.containedAt !== undefined) {
      await this.decide(session, ref, facts, { kind: 'deny', rule: 'family is ending' }, { kind: 'desk' });
      return;
    }
    if ([program.script, program.executable].some((file) => file && this.reviewers.isUntrusted(file.path))) {
      const verdict: Verdict = { kind: 'deny', rule: 'defined in an untrusted workspace' };
      await this.decide(session, ref, facts, verdict, { kind: 'desk' });
      return;
    }
    const granted = session.grants.get(programIdentity(program) ?? '');
    if (granted !== undefined) {
      const by: Decider = { kind: 'grant', question: granted };
      await this.decide(session, ref, facts, { kind: 'allow', scope: 'session' }, by);
      return;
    }
    if (!this.rate.mayAsk(session)) {
      const verdict: Verdict = { kind: 'deny', rule: 'too many questions at once' };
      await this.decide(session, ref, facts, verdict, { kind: 'desk' });
      return;
    }
    this.hold(session, ref, facts, heldUntil);
  }

  /** The caller went away or cancelled: nobody is waiting for the answer any more. */
  withdraw(session: Session, ref: string, reason: string): void {
    const held = this.held.get(keyOf(session, ref));
    if (held === undefined || !this.questions.withdraw(held.question.id, reason)) return;
    this.forget(held);
    this.sessions.update(session, withAnswered(session.view, held.facts, 'caller went away'));
    this.records.note({
      ...subjectOf(held.session, held.facts),
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

  private hold(session: Session, ref: string, facts: ExecFacts, heldUntil: string): void {
    const card = execCard(facts, {
      server: session.view.server,
      session: session.id,
      client: session.view.client,
      workspaceFolders: this.reviewers.workspaceFolders(),
    });
    const id = randomUUID();
    const question: Question = {
      kind: 'question',
      id,
      session: session.id,
      server: session.view.server,
      ...card,
      group: facts.request === undefined ? id : `${session.id}#${facts.request.number}`,
      options: ['deny', 'once', 'session', 'contain'],
      askedAt: new Date().toISOString(),
      expiresAt: heldUntil,
      heldUntil,
      process: { pid: facts.pid, startedAt: facts.startedAt },
      ...(facts.request === undefined ? {} : { request: facts.request }),
    };
    const held: Held = { session, ref, facts, question, cancelExpiry: nothing, cancelAlone: nothing };
    held.cancelExpiry = timerUntil(Date.parse(heldUntil), () => void this.close(held, 'no answer in time'));
    if (!this.reviewers.isAny) this.waitAlone(held);
    this.held.set(keyOf(session, ref), held);
    this.records.note({ kind: 'question asked', question, facts });
    const asker: Asker = { answered: (choice, by) => this.answered(held, choice, by) };
    this.questions.ask(question, asker);
  }

  private waitAlone(held: Held): void {
    const until = Date.now() + this.noReviewerMs;
    held.cancelAlone = timerUntil(until, () => void this.close(held, 'no reviewer connected'));
  }

  private async answered(held: Held, choice: Choice, by: ProcessKey): Promise<Choice> {
    this.forget(held);
    const { session, ref, facts, question } = held;
    const verdict: Verdict =
      choice === 'once' || choice === 'session'
        ? { kind: 'allow', scope: choice }
        : { kind: 'deny', rule: choice === 'contain' ? 'contained by reviewer' : 'denied by reviewer' };
    const stood = await this.decide(session, ref, facts, verdict, reviewer(by), { question, choice });
    if (!stood) return 'deny';
    const identity = programIdentity(facts.program);
    if (choice === 'session' && identity !== undefined) session.grants.set(identity, question.id);
    return choice;
  }

  private async close(held: Held, rule: Rule): Promise<void> {
    if (!this.questions.withdraw(held.question.id, rule)) return;
    this.forget(held);
    const { session, ref, facts, question } = held;
    await this.decide(session, ref, facts, { kind: 'deny', rule }, { kind: 'desk' }, { question });
  }

  /** Writes, then tells the supervisor. False when it became a denial because it could not be written. */
  private async decide(
    session: Session,
    ref: string,
    facts: ExecFacts,
    verdict: Verdict,
    by: Decider,
    asked?: { readonly question: Question; readonly choice?: Choice },
  ): Promise<boolean> {
    const allowed = verdict.kind === 'allow';
    const text = allowed ? execAllowed(facts, verdict.scope) : execDenied(facts, verdict.rule);
    const isWritten = await this.write(!allowed && asked === undefined ? verdict.rule : undefined, {
      ...subjectOf(session, facts),
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
    if (asked?.choice === 'contain') this.contain(session, by);
    session.supervisor?.send(
      inForce.kind === 'allow'
        ? { kind: 'decision', ref, allow: true, scope: inForce.scope, text }
        : { kind: 'decision', ref, allow: false, rule: inForce.rule, text: execDenied(facts, inForce.rule) },
    );
    const refusedBy = inForce.kind === 'allow' ? undefined : inForce.rule;
    this.sessions.update(session, withAnswered(session.view, facts, refusedBy));
    return inForce === verdict;
  }

  /** @param unasked the rule of a denial that no person gave: in a loop it is counted, and stands all the same. */
  private async write(unasked: Rule | undefined, body: Decision): Promise<boolean> {
    const { session, subject } = body;
    if (unasked !== undefined && !this.refusals.isListed({ session, what: 'exec', rule: unasked }, subject))
      return false;
    return this.records.decide(body);
  }

  private show(session: Session, facts: ExecFacts): void {
    const exec = {
      pid: facts.pid,
      startedAt: facts.startedAt,
      exe: facts.program.executable.path,
      argv: mirrorArguments(facts.argv),
      cwd: facts.cwd,
      ...(facts.request === undefined ? {} : { request: facts.request }),
    };
    this.sessions.update(session, withExec(session.view, exec, 'held'), {
      kind: 'exec',
      session: session.id,
      ...exec,
      step: 'held',
    });
  }

  private forget(held: Held): void {
    held.cancelExpiry();
    held.cancelAlone();
    this.held.delete(keyOf(held.session, held.ref));
  }
}

function nothing(): void {
  // No timer runs yet.
}

function keyOf(session: Session, ref: string): string {
  return `${session.id} ${ref}`;
}

function subjectOf(session: Session, { program }: ExecFacts) {
  const file = program.script ?? program.executable;
  return {
    kind: 'decision' as const,
    session: session.id,
    transition: 'new executable' as const,
    subject: file.path,
    ...(file.digest === undefined ? {} : { digest: file.digest }),
  };
}
