/** The sessions, living and lately ended. Every change goes to the journal's caller first and to reviewers from here. */
import { randomBytes } from 'node:crypto';
import type { ProcessKey, StartFacts } from '../core/facts.ts';
import type { Certificate, Coverage, FromDesk, ProcessView, SessionView } from '../protocol/desk.ts';
import type { ToSupervisor } from '../protocol/toSupervisor.ts';
import type { Census } from './census.ts';
import type { RecordedFamily } from './familyFile.ts';
import type { Records } from './records.ts';
import type { Reviewers } from './reviewers.ts';
import { endedView, openedView, withGaps } from './sessionView.ts';

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
  /** The last supervisor it had; stays when that one is lost. */
  supervisorKey: ProcessKey | undefined;
  /** Since when its family runs; undefined while nothing was started. */
  ranFrom: string | undefined;
  /** Sweeps since its supervisor was last heard. */
  quietSweeps: number;
  /** What the desk itself did not list, by what it was; part of the coverage. */
  readonly gaps: Map<string, number>;
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

function fresh(id: string, facts: StartFacts, view: SessionView): Session {
  return {
    id,
    facts,
    view,
    supervisor: undefined,
    supervisorKey: undefined,
    ranFrom: undefined,
    quietSweeps: 0,
    gaps: new Map(),
    members: new Map(),
    grants: new Map(),
    onCertificate: [],
    containedAt: undefined,
  };
}

export class Sessions {
  private readonly byId = new Map<string, Session>();
  /** Their last view has not been told yet. */
  private readonly untold = new Set<Session>();
  private readonly gapsUntold = new Set<Session>();

  /**
   * @param changed called after a session came or ended.
   * @param membersChanged called after a family has another member, or one less.
   */
  constructor(
    private readonly census: Census,
    private readonly records: Records,
    private readonly reviewers: Reviewers,
    private readonly changed: () => void,
    readonly membersChanged: () => void,
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
    return this.add({
      ...fresh(id, facts, openedView(id, facts, new Date().toISOString())),
      supervisor,
      supervisorKey: supervisor.peer,
    });
  }

  /** A family that an earlier desk left behind, to be ended. */
  recover(
    { session: id, facts, startedAt, supervisor }: RecordedFamily,
    members: ReadonlyMap<string, ProcessKey>,
    processes: readonly ProcessView[],
    coverage: Coverage,
  ): Session {
    const view = { ...openedView(id, facts, startedAt), processes: [...processes], coverage };
    const session = fresh(id, facts, view);
    for (const [key, member] of members) session.members.set(key, member);
    return this.add({ ...session, supervisorKey: supervisor, ranFrom: startedAt });
  }

  private add(session: Session): Session {
    const { client } = session.facts;
    this.byId.set(session.id, session);
    this.census.addClient({ pid: client.pid, startTicks: client.startTicks });
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

  memberBorn(session: Session, key: string, member: ProcessKey): void {
    session.members.set(key, member);
    this.membersChanged();
  }

  memberEnded(session: Session, key: string): void {
    if (session.members.delete(key)) this.membersChanged();
  }

  /** Something of this session was not listed. It is told with the next {@link tellGaps}: there may be thousands. */
  countGap(session: Session, what: string): void {
    session.gaps.set(what, (session.gaps.get(what) ?? 0) + 1);
    this.gapsUntold.add(session);
  }

  tellGaps(): void {
    for (const session of this.gapsUntold) {
      this.update(session, { ...session.view, coverage: withGaps(session.view.coverage, session.gaps) });
    }
    this.gapsUntold.clear();
  }

  private tellView(session: Session): void {
    if (this.untold.delete(session)) this.reviewers.broadcast({ kind: 'session', session: session.view });
  }

  /** Once. The certificate is absent where nothing was ever started. */
  end(session: Session, cause: string, certificate: Certificate | undefined): void {
    if (session.view.state === 'ended') return;
    session.supervisor = undefined;
    this.tellGaps();
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
