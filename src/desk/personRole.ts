/** Reviewers and operators: what people say through an editor or the command line. */
import type { ProcessKey } from '../core/facts.ts';
import type { Decider } from '../journal/record.ts';
import { type FromDesk, type ToDesk, toDesk } from '../protocol/desk.ts';
import type { Containment } from './containment.ts';
import { liveList } from './liveList.ts';
import { describeMismatch } from './malformed.ts';
import { openFilesOf } from './openFiles.ts';
import type { PeerVerdict } from './peer.ts';
import { type Questions, reviewer } from './questions.ts';
import type { Records } from './records.ts';
import type { ReviewerPort, Reviewers } from './reviewers.ts';
import type { RoleHandler, RolePort } from './role.ts';
import { memberKey, type Sessions } from './sessions.ts';

export interface PersonParts {
  readonly sessions: Sessions;
  readonly questions: Questions;
  readonly reviewers: Reviewers;
  readonly containment: Containment;
  readonly records: Records;
  readonly user: string;
  readonly uid: number;
  readonly home: string | undefined;
  /** The peer rules again: a process may have become a client's descendant, or another process, since hello. */
  judgeAgain(role: 'reviewer' | 'operator', peer: RolePort['peer']): PeerVerdict;
}

type Of<K extends ToDesk['kind']> = Extract<ToDesk, { kind: K }>;

export class PersonRole implements RoleHandler, ReviewerPort {
  workspace: ReviewerPort['workspace'];

  constructor(
    private readonly role: 'reviewer' | 'operator',
    private readonly port: RolePort,
    private readonly parts: PersonParts,
  ) {}

  send(message: FromDesk): void {
    this.port.send(message);
  }

  /** After its welcome: the whole state once, then every change. */
  begin(): void {
    if (this.role !== 'reviewer') return;
    const { sessions, questions, reviewers } = this.parts;
    this.send({
      kind: 'snapshot',
      sessions: sessions.list().map(({ view }) => view),
      questions: questions.list(),
    });
    reviewers.add(this);
  }

  closed(): void {
    this.parts.reviewers.remove(this);
  }

  message(value: unknown): void {
    const parsed = toDesk.safeParse(value);
    if (!parsed.success) return this.port.malformed(describeMismatch(value, parsed.error));
    const message = parsed.data;
    switch (message.kind) {
      case 'hello':
        return this.port.malformed('a second hello; say it once, first');
      case 'ps':
        return this.send({
          kind: 'sessions',
          sessions: liveList(this.parts.sessions.living(), this.parts.user),
        });
      case 'contain':
        return this.hasAuthority() ? this.contain(message) : undefined;
      case 'answer':
        if (!this.isReviewer('answer') || !this.hasAuthority()) return undefined;
        void this.parts.questions.answer(message.id, message.choice, this.port.peer, (reply) =>
          this.send(reply),
        );
        return undefined;
      case 'stopProcess':
        return this.isReviewer('stopProcess') && this.hasAuthority() ? this.stopProcess(message) : undefined;
      case 'openFiles':
        return this.isReviewer('openFiles') && this.hasAuthority() ? this.openFiles(message) : undefined;
      case 'workspace':
        if (this.isReviewer('workspace'))
          this.workspace = { folders: message.folders, trusted: message.trusted };
        return undefined;
    }
  }

  private isReviewer(what: string): boolean {
    if (this.role === 'reviewer') return true;
    const text = `the command line may not send ${what}; answer in an editor with Kinwatch`;
    this.port.refuse('answer', 'not allowed in this role', text);
    return false;
  }

  /** Invariant: whoever decides is still the process that was let in. */
  private hasAuthority(): boolean {
    const verdict = this.parts.judgeAgain(this.role, this.port.peer);
    if (verdict.kind === 'admitted') return true;
    this.port.refuse(this.role, verdict.rule, verdict.text);
    return false;
  }

  private contain({ session: id }: Of<'contain'>): void {
    const session = this.parts.sessions.get(id);
    const reason =
      session === undefined
        ? `there is no session ${JSON.stringify(id.slice(0, 40))}; list them with: kinwatch ps`
        : this.parts.containment.request(session, this.self());
    if (reason !== undefined) return this.send({ kind: 'failed', request: 'contain', reason });
    // Reviewers hear of every certificate anyway.
    if (this.role === 'operator') {
      session?.onCertificate.push((certificate) => this.send({ kind: 'certificate', certificate }));
    }
    return undefined;
  }

  private stopProcess({ session: id, pid, startedAt }: Of<'stopProcess'>): void {
    const session = this.parts.sessions.get(id);
    if (session?.supervisor === undefined || !session.members.has(memberKey({ pid, startedAt }))) {
      return this.send({
        kind: 'failed',
        request: 'stopProcess',
        reason: `process ${pid} is not running any more`,
      });
    }
    this.parts.records.note({ kind: 'process stop asked', session: id, pid, startedAt, by: this.self() });
    return session.supervisor.send({ kind: 'stopProcess', pid, startedAt });
  }

  private openFiles({ session: id, pid, startedAt }: Of<'openFiles'>): void {
    const { sessions, reviewers, home, uid } = this.parts;
    const places = { home, uid, folders: reviewers.workspaceFolders() };
    this.send(openFilesOf(id, sessions.get(id), { pid, startedAt }, places));
  }

  private self(): Decider {
    const { pid, startTicks }: ProcessKey = this.port.peer;
    return this.role === 'reviewer' ? reviewer({ pid, startTicks }) : { kind: 'operator', pid, startTicks };
  }
}
