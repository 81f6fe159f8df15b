/** A supervisor's connection: its messages become records first, then what reviewers see. */
import type { ProcessKey } from '../core/facts.ts';
import { destinationKey } from '../core/transition/judgeConnection.ts';
import { type FromSupervisor, fromSupervisor } from '../protocol/supervisor.ts';
import type { Approvals } from './approvals/approvals.ts';
import { connectionMatter } from './approvals/connection.ts';
import { execMatter } from './approvals/exec.ts';
import type { Matter } from './approvals/matter.ts';
import type { Census } from './census.ts';
import type { Containment } from './containment.ts';
import type { Digests } from './digests.ts';
import { reasonOf } from './deskError.ts';
import { FamilyNews } from './familyNews.ts';
import { InOrder } from './inOrder.ts';
import { describeMismatch } from './malformed.ts';
import { openSession } from './opening.ts';
import type { ProcessTable } from './peer.ts';
import type { Persistence } from './persistence.ts';
import { isAlive } from './processes.ts';
import type { Records } from './records.ts';
import type { Refusals } from './refusals.ts';
import type { RoleHandler, RolePort } from './role.ts';
import { memberKey, type Session, type Sessions, type SupervisorPort } from './sessions.ts';
import { withAnswered, withClaims, withGaps } from './sessionView.ts';
import type { StartApprovals } from './startApprovals.ts';
import type { Traffic } from './traffic.ts';
import type { Reviewers } from './reviewers.ts';

export interface SupervisorParts {
  readonly sessions: Sessions;
  readonly starts: StartApprovals;
  readonly approvals: Approvals;
  readonly traffic: Traffic;
  readonly containment: Containment;
  readonly persistence: Persistence;
  readonly records: Records;
  readonly refusals: Refusals;
  readonly reviewers: Reviewers;
  readonly census: Census;
  readonly table: ProcessTable;
  readonly digests: Digests;
}

type Of<K extends FromSupervisor['kind']> = Extract<FromSupervisor, { kind: K }>;

export class SupervisorRole implements RoleHandler, SupervisorPort {
  private session: Session | undefined;
  private hasEnded = false;
  private readonly news: FamilyNews;
  private readonly inOrder: InOrder;

  /** @param resumed the session of its hello, to take up after a lost desk. */
  constructor(
    private readonly port: RolePort,
    private readonly resumed: string | undefined,
    private readonly parts: SupervisorParts,
  ) {
    parts.census.addSupervisor(port.peer);
    this.news = new FamilyNews(port, parts);
    this.inOrder = new InOrder(
      parts.digests,
      (message) => this.act(message),
      () => this.end(),
    );
  }

  get peer(): ProcessKey {
    return this.port.peer;
  }

  send: SupervisorPort['send'] = (message) => this.port.send(message);

  message(value: unknown): void {
    // Before anything is waited for: it lives.
    if (this.session !== undefined) this.session.quietSweeps = 0;
    const parsed = fromSupervisor.safeParse(value);
    if (!parsed.success) return this.port.malformed(describeMismatch(value, parsed.error));
    return this.inOrder.take(parsed.data);
  }

  private act(message: FromSupervisor): void {
    if (message.kind === 'hello') return this.port.malformed('a second hello; say it once, first');
    if (message.kind === 'open') return this.open(message);
    if (this.session === undefined)
      return this.port.malformed(`${message.kind} came before open; open a session first`);
    return this.handle(this.session, message);
  }

  closed(): void {
    this.inOrder.end();
  }

  private end(): void {
    const { session, parts } = this;
    if (session === undefined || session.supervisor !== this) return;
    session.supervisor = undefined;
    void parts.approvals.denyAll(session, 'caller went away');
    if (parts.starts.isOpen(session)) return parts.starts.park(session);
    if (this.hasEnded) return undefined;
    if (session.view.state === 'asking' && session.members.size === 0) {
      return parts.sessions.end(session, 'it was not started', undefined);
    }
    void parts.containment.endWithoutSupervisor(session, this.peer, 'supervisor died');
    return undefined;
  }

  private open(message: Of<'open'>): void {
    if (this.session !== undefined)
      return this.port.malformed('a second open; one connection is one session');
    this.session = openSession(message, this, this.port, this.resumed, this.parts);
    return undefined;
  }

  private handle(session: Session, message: Exclude<FromSupervisor, Of<'hello'> | Of<'open'>>): void {
    const { parts } = this;
    const { records, sessions, reviewers, containment } = parts;
    const { id, view } = session;
    switch (message.kind) {
      case 'ask':
        return this.ask(session, message, execMatter(session, message.facts, sessions));
      case 'ask connection':
        return this.ask(session, message, connectionMatter(session, message.facts, parts.traffic));
      case 'connection':
        parts.traffic.told(session, message);
        if (message.step === 'done') parts.approvals.reached(session, message, destinationKey(message));
        return undefined;
      case 'withdraw':
        if (message.ref === 'start') parts.starts.park(session);
        else parts.approvals.withdraw(session, message.ref, message.reason);
        return undefined;
      case 'running':
        return this.running(session, message);
      case 'heartbeat': // that it came was all
        return undefined;
      case 'coverage':
        return sessions.update(session, { ...view, coverage: withGaps(message.coverage, session.gaps) });
      case 'request': {
        const { request, arguments: text } = message;
        records.note({ kind: 'request', session: id, request, arguments: text });
        const next = withClaims(view, message);
        return next === view ? undefined : sessions.update(session, next);
      }
      case 'result':
        records.note({ kind: 'result', session: id, number: message.number, outcome: message.outcome });
        return undefined;
      case 'birth':
        return this.news.birth(session, message);
      case 'exec':
        return this.news.exec(session, message);
      case 'end':
        return this.news.end(session, message);
      case 'detached':
        return this.news.detached(session, message);
      case 'refusal': {
        const { pid, startedAt, what, rule, text } = message;
        if (what === 'exec') session.view = withAnswered(view, message, rule);
        return parts.refusals.report({ session: id, pid, startedAt, what, rule, text }, message.exe);
      }
      case 'frozen':
        void containment.frozen(session, message);
        return undefined;
      case 'ending':
        return sessions.update(session, { ...view, state: 'ending' });
      case 'ended':
        this.hasEnded = true;
        if (!parts.starts.isOpen(session))
          void containment.finish(session, { ...message.certificate, session: id });
        return undefined;
      case 'stopped': {
        const { pid, startedAt, outcome } = message;
        records.note({ kind: 'process stop answered', session: id, pid, startedAt, outcome });
        const member = session.members.get(memberKey(message));
        if (member !== undefined && isAlive(member)) {
          reviewers.broadcast({ kind: 'failed', request: 'stopProcess', reason: outcome });
        }
        return undefined;
      }
    }
  }

  private ask(
    session: Session,
    { ref, heldUntil }: Pick<Of<'ask'>, 'ref' | 'heldUntil'>,
    matter: Matter,
  ): void {
    this.parts.approvals
      .ask(session, ref, matter, heldUntil)
      .catch((error: unknown) => this.port.malformed(`the question cannot be asked: ${reasonOf(error)}`));
  }

  private running(session: Session, { coverage }: Of<'running'>): void {
    const { sessions } = this.parts;
    session.supervisorKey = this.peer;
    session.ranFrom ??= new Date().toISOString();
    const counted = withGaps(coverage, session.gaps);
    sessions.update(session, { ...session.view, state: 'running', coverage: counted });
    sessions.membersChanged();
  }
}
