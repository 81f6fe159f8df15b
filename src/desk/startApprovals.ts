/**
 * Starts: asked once for a thing and a client, and open for rejoining when the client cannot wait for the answer
 * (a client's own limit is often shorter than a person's time). A later launch of the same thing by the same
 * client process takes the question up; an allow that came in between counts for it.
 */
import type { ProcessKey, StartFacts } from '../core/facts.ts';
import type { Decider } from '../journal/record.ts';
import type { Choice, Rule } from '../protocol/desk.ts';
import { bootId } from '../watch/proc.ts';
import { startIdentity } from './identity.ts';
import { reviewer } from './questions.ts';
import type { Session, SupervisorPort } from './sessions.ts';
import type { Start, StartParts } from './start.ts';
import { StartGrants } from './startGrants.ts';
import { decisionOf, pointOut, recordOf, startQuestion, type StartVerdict } from './startQuestion.ts';
import { timerUntil } from './timer.ts';
import { startAllowed, startDenied, startWaits } from './wording.ts';

export class StartApprovals {
  private readonly starts = new Set<Start>();
  private readonly grants = new StartGrants();

  constructor(
    private readonly parts: StartParts,
    private readonly lateAllowMs: number,
  ) {}

  /** Opens a session or rejoins a waiting one. The answer follows as `decision`. */
  open(facts: StartFacts, supervisor: SupervisorPort, heldUntil: string): Session {
    const client = { pid: facts.client.pid, startTicks: facts.client.startTicks };
    const identity = startIdentity(facts);
    const waiting = [...this.starts].find(
      (start) =>
        start.cancelWait === undefined &&
        identity !== undefined &&
        start.identity === identity &&
        start.client.pid === client.pid &&
        start.client.startTicks === client.startTicks,
    );
    const session = waiting?.session ?? this.parts.sessions.open(facts, supervisor);
    session.supervisor = supervisor;
    const entry = waiting === undefined ? 'first' : 'rejoined';
    const { pid, startTicks } = supervisor.peer;
    this.parts.records.note({
      kind: 'session opened',
      session: session.id,
      entry,
      supervisor: { pid, startTicks },
      bootId: bootId(),
      facts,
    });
    supervisor.send({ kind: 'opened', session: session.id });
    this.parts.persistence.begin(session, false);
    const asked =
      waiting === undefined
        ? this.begin({ session, client, identity }, heldUntil)
        : this.rejoin(waiting, heldUntil);
    // A card that cannot be made is no reason to start unseen.
    asked.catch(() => this.tell(session, { kind: 'deny', rule: 'program unreadable' }));
    return session;
  }

  /** True while the session's start waits for an answer or for the next launch. */
  isOpen(session: Session): boolean {
    return this.find(session) !== undefined;
  }

  /** Its caller went away: the question stays, nobody waits. */
  park(session: Session): void {
    const start = this.find(session);
    if (start === undefined) return;
    start.cancelWait?.();
    start.cancelWait = undefined;
    session.supervisor = undefined;
  }

  /** Ends a start that never became a run. */
  withdraw(session: Session, reason: string): void {
    const start = this.find(session);
    if (start === undefined) return;
    this.forget(start);
    this.parts.questions.withdraw(start.question.id, reason);
    this.parts.sessions.end(session, reason, undefined);
  }

  /** Closes what nobody can take up any more. */
  sweep(isAlive: (key: ProcessKey) => boolean): void {
    this.grants.sweep(isAlive);
    for (const start of this.starts) {
      if (start.cancelWait !== undefined) continue;
      if (!isAlive(start.client)) this.withdraw(start.session, 'the client ended');
      else if (start.allowed !== undefined && start.allowed.untilMs < Date.now()) {
        this.withdraw(start.session, 'it was allowed and not started again in time');
      }
    }
  }

  private async begin(
    thing: Pick<Start, 'session' | 'client' | 'identity'>,
    heldUntil: string,
  ): Promise<void> {
    const { session, client, identity } = thing;
    if (this.parts.reviewers.isUntrusted(session.facts.source)) {
      return this.denyUntrusted(session);
    }
    const granted = identity === undefined ? undefined : this.grants.find(client, identity);
    if (granted !== undefined) return this.repeat(session, granted);
    const question = startQuestion(session, heldUntil, this.parts.reviewers.workspaceFolders());
    const start: Start = { ...thing, question, cancelWait: undefined, allowed: undefined };
    this.starts.add(start);
    this.wait(start, heldUntil);
    this.parts.records.note({ kind: 'question asked', question });
    this.parts.questions.ask(question, { answered: (choice, by) => this.answered(start, choice, by) });
    void pointOut(start, this.parts);
    return undefined;
  }

  /**
   * Allowed by an earlier answer, which is on disk: nothing new is decided, so it goes on once it is written, like a
   * program that is released unasked.
   */
  private repeat(session: Session, question: string): void {
    const verdict: StartVerdict = { kind: 'allow', scope: 'session' };
    const text = startAllowed(session.view.server, verdict.scope);
    const record = recordOf(session, { kind: 'grant', question }, text);
    const isWritten = this.parts.records.note({ ...record, allow: true, scope: verdict.scope });
    this.tell(session, isWritten ? verdict : { kind: 'deny', rule: 'record could not be written' });
  }

  private async rejoin(start: Start, heldUntil: string): Promise<void> {
    const { session, allowed } = start;
    if (this.parts.reviewers.isUntrusted(session.facts.source)) {
      this.forget(start);
      this.parts.questions.withdraw(start.question.id, 'defined in an untrusted workspace');
      return this.denyUntrusted(session);
    }
    if (allowed !== undefined && allowed.untilMs >= Date.now()) {
      this.forget(start);
      const by: Decider = { kind: 'grant', question: start.question.id };
      await this.decide(session, { kind: 'allow', scope: allowed.scope }, by);
      return undefined;
    }
    this.wait(start, heldUntil);
    start.question = { ...start.question, heldUntil };
    this.parts.questions.renew(start.question);
    return undefined;
  }

  private wait(start: Start, heldUntil: string): void {
    start.cancelWait = timerUntil(Date.parse(heldUntil), () => void this.expire(start));
  }

  private async expire(start: Start): Promise<void> {
    const { session } = start;
    const { supervisor } = session;
    this.park(session);
    const text = startWaits(session.view.server);
    const rule: Rule = 'no answer in time';
    await this.parts.records.decide({
      ...recordOf(session, { kind: 'desk' }, text),
      question: start.question.id,
      allow: false,
      rule,
    });
    supervisor?.send({ kind: 'decision', ref: 'start', allow: false, rule, text, rejoin: true });
  }

  private async answered(start: Start, choice: Choice, by: ProcessKey): Promise<Choice> {
    start.cancelWait?.();
    // Still set: a launch that comes while the record is being written must not take this start up.
    start.cancelWait ??= () => undefined;
    const { session, client, identity, question } = start;
    const verdict: StartVerdict =
      choice === 'once' || choice === 'session'
        ? { kind: 'allow', scope: choice }
        : { kind: 'deny', rule: 'denied by reviewer' };
    const stood = await this.write(session, verdict, reviewer(by), { question: question.id, choice });
    if (stood.kind === 'deny') {
      this.forget(start);
      this.tell(session, stood);
      if (session.supervisor === undefined) this.parts.sessions.end(session, stood.rule, undefined);
      return 'deny';
    }
    if (stood.scope === 'session' && identity !== undefined) this.grants.add(client, identity, question.id);
    if (session.supervisor === undefined) {
      start.cancelWait = undefined;
      start.allowed = { scope: stood.scope, untilMs: Date.now() + this.lateAllowMs };
    } else {
      this.forget(start);
      this.tell(session, stood);
    }
    return choice;
  }

  private denyUntrusted(session: Session): Promise<void> {
    const rule: Rule = 'defined in an untrusted workspace';
    const text = startDenied(session.view.server, rule);
    this.parts.refusals.report({ session: session.id, what: 'start', rule, text });
    return this.decide(session, { kind: 'deny', rule }, { kind: 'desk' });
  }

  private async decide(session: Session, verdict: StartVerdict, by: Decider): Promise<void> {
    this.tell(session, await this.write(session, verdict, by, {}));
  }

  /** Gives what is in force: an allow that cannot be written is a denial. */
  private async write(
    session: Session,
    verdict: StartVerdict,
    by: Decider,
    asked: { readonly question?: string; readonly choice?: Choice },
  ): Promise<StartVerdict> {
    const { server } = session.view;
    const isAllowed = verdict.kind === 'allow';
    const text = isAllowed ? startAllowed(server, verdict.scope) : startDenied(server, verdict.rule);
    const isWritten = await this.parts.records.decide({
      ...recordOf(session, by, text),
      ...asked,
      allow: isAllowed,
      ...(isAllowed ? { scope: verdict.scope } : { rule: verdict.rule }),
    });
    return isWritten || !isAllowed ? verdict : { kind: 'deny', rule: 'record could not be written' };
  }

  private tell(session: Session, verdict: StartVerdict): void {
    session.supervisor?.send(decisionOf(session.view.server, verdict));
  }

  private find(session: Session): Start | undefined {
    return [...this.starts].find((start) => start.session === session);
  }

  private forget(start: Start): void {
    start.cancelWait?.();
    this.starts.delete(start);
  }
}
