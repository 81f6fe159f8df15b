/** The sessions, living and lately ended. Every change goes to the journal's caller first and to reviewers from here. */
import { randomBytes } from 'node:crypto';
import type { ProcessKey, StartFacts } from '../core/facts.ts';
import type { Certificate, FromDesk, SessionView } from '../protocol/desk.ts';
import type { ToSupervisor } from '../protocol/supervisor.ts';
import type { Census } from './census.ts';
import type { Records } from './records.ts';
import type { Reviewers } from './reviewers.ts';
import { endedView, openedView } from './sessionView.ts';

/** Ended sessions that stay in view at most. */
const maxEnded = 20;

/** The connected supervisor of a session. */
export interface SupervisorPort {
  readonly peer: ProcessKey;
  send(message: ToSupervisor): void;
}

export interface Session {
  readonly id: string;
  readonly facts: StartFacts;
  view: SessionView;
  /** Undefined while a start waits to be rejoined, and once its supervisor is lost. */
  supervisor: SupervisorPort | undefined;
  /** Every birth that has not ended, by `pid startedAt`. */
  readonly members: Map<string, ProcessKey>;
  /** Programs allowed until the server ends: identity → the question that allowed it. */
  readonly grants: Map<string, string>;
  /** Operators and others who wait for its certificate. */
  readonly onCertificate: ((certificate: Certificate) => void)[];
  /** Set once somebody asked to contain it. */
  containedAt: string | undefined;
}

export function memberKey(key: { readonly pid: number; readonly startedAt: string }): string {
  return `${key.pid} ${key.startedAt}`;
}

export class Sessions {
  private readonly byId = new Map<string, Session>();
  /** Their last view has not been told yet. */
  private readonly untold = new Set<Session>();

  /** @param changed called after a session came or ended. */
  constructor(
    private readonly census: Census,
    private readonly records: Records,
    private readonly reviewers: Reviewers,
    private readonly changed: () => void,
  ) {}

  get(id: string): Session | undefined {
    return this.byId.get(id);
  }

  list(): Session[] {
    return [...this.byId.values()];
  }

  living(): Session[] {
    return this.list().filter(({ view }) => view.state !== 'ended');
  }

  /** @param id a session to take up again; absent: a new one. */
  open(facts: StartFacts, supervisor: SupervisorPort, id = randomBytes(5).toString('hex')): Session {
    const session: Session = {
      id,
      facts,
      view: openedView(id, facts, new Date().toISOString()),
      supervisor,
      members: new Map(),
      grants: new Map(),
      onCertificate: [],
      containedAt: undefined,
    };
    this.byId.set(id, session);
    this.census.addClient({ pid: facts.client.pid, startTicks: facts.client.startTicks });
    this.reviewers.broadcast({ kind: 'session', session: session.view });
    this.changed();
    return session;
  }

  /**
   * Takes over the next view and tells reviewers: with the message that made it, else with the whole view. Whole
   * views of one turn of the event loop become one, in front of the next message that builds on it.
   */
  update(session: Session, view: SessionView, message?: FromDesk): void {
    if (message !== undefined) {
      this.tellView(session);
      session.view = view;
      this.reviewers.broadcast(message);
      return;
    }
    session.view = view;
    if (this.untold.has(session)) return;
    this.untold.add(session);
    setImmediate(() => this.tellView(session));
  }

  private tellView(session: Session): void {
    if (this.untold.delete(session)) this.reviewers.broadcast({ kind: 'session', session: session.view });
  }

  /** Once. The certificate is absent where nothing was ever started. */
  end(session: Session, cause: string, certificate: Certificate | undefined): void {
    if (session.view.state === 'ended') return;
    session.supervisor = undefined;
    this.records.note({ kind: 'session ended', session: session.id, cause, client: session.view.client });
    const view = endedView(session.view, cause, new Date().toISOString(), certificate?.survivors === 0);
    this.update(session, certificate === undefined ? view : { ...view, certificate });
    this.prune(Number.POSITIVE_INFINITY);
    this.changed();
  }

  /** Forgets ended sessions that are too many or too old. */
  prune(endedViewMs: number): void {
    const ended = this.list().filter(({ view }) => view.state === 'ended');
    ended.forEach(({ id, view }, index) => {
      const isOld = Date.now() - Date.parse(view.endedAt ?? view.startedAt) > endedViewMs;
      if (isOld || index < ended.length - maxEnded) this.byId.delete(id);
    });
  }
}
