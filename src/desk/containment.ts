/** Ends of families: asked for by a person, or needed because a supervisor is gone. */
import { join } from 'node:path';
import type { ProcessKey } from '../core/facts.ts';
import { type EvidenceInput, writeEvidence } from '../contain/evidence.ts';
import { installedLsof } from '../contain/lsof.ts';
import { openFilesOfMembers } from '../contain/openFiles.ts';

import type { Decider } from '../journal/record.ts';
import type { Certificate } from '../protocol/desk.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { Approvals } from './approvals/approvals.ts';
import { maskDeep, maskProcess } from './mask.ts';
import type { Persistence, PersistenceResult } from './persistence.ts';
import type { Records } from './records.ts';
import type { Refusals } from './refusals.ts';
import type { Reviewers } from './reviewers.ts';
import type { Session, Sessions } from './sessions.ts';
import type { StartApprovals } from './startApprovals.ts';
import { timerUntil } from './timer.ts';
import type { Timings } from './timings.ts';
import type { Traffic } from './traffic.ts';
import { containedBy } from './wording.ts';
import { endOrphaned, type EndRecorded } from './watchdog.ts';

export interface ContainmentParts {
  readonly sessions: Sessions;
  readonly reviewers: Reviewers;
  readonly records: Records;
  readonly refusals: Refusals;
  readonly approvals: Approvals;
  readonly starts: StartApprovals;
  readonly persistence: Persistence;
  readonly traffic: Traffic;
  readonly timings: Timings;
  readonly evidenceDirectory: string;
  readonly processTable: EvidenceInput['processTable'];
  readonly endRecorded: EndRecorded;
}

type Frozen = Extract<FromSupervisor, { kind: 'frozen' }>;

export class Containment {
  /** Sessions that the desk itself is ending, so that it happens once. */
  private readonly ending = new Set<Session>();
  /** Sessions whose certificate is being made. */
  private readonly finishing = new Set<Session>();

  constructor(private readonly parts: ContainmentParts) {}

  /**
   * @param cause for the certificate; absent: who asked.
   * @returns why there is nothing to contain; undefined when it is under way and a certificate will follow.
   */
  request(session: Session, by: Decider, cause = containedBy(by.kind)): string | undefined {
    const { records, starts, approvals, timings } = this.parts;
    if (session.view.state === 'ended') return `session ${session.id} has already ended`;
    records.note({ kind: 'containment asked', session: session.id, by });
    const { supervisor } = session;
    if (supervisor === undefined && starts.isOpen(session)) {
      starts.withdraw(session, 'contained');
      return `nothing of session ${session.id} runs; its question is withdrawn`;
    }
    if (session.containedAt !== undefined) return undefined;
    session.containedAt = new Date().toISOString();
    supervisor?.send({ kind: 'contain', by: cause });
    void approvals.denyAll(session, 'contained by reviewer');
    const cancel = timerUntil(Date.now() + timings.containMs, () => {
      void this.endWithoutSupervisor(session, supervisor?.peer, 'the supervisor did not contain in time');
    });
    session.onCertificate.push(cancel);
    return undefined;
  }

  /** Everything stands still: writes the evidence and lets the supervisor go on. */
  async frozen(session: Session, { cause, members }: Frozen): Promise<void> {
    const { evidenceDirectory, processTable, timings, records } = this.parts;
    const { client, server } = session.view;
    const result = await writeEvidence({
      directory: join(evidenceDirectory, session.id),
      session: session.id,
      server,
      client: `${client.exe ?? 'unknown program'}, pid ${client.pid}, since ${client.startedAt}`,
      cause,
      members: maskDeep(members),
      view: session.view,
      processTable: async () => (await processTable()).map(maskProcess),
      lsof: installedLsof(),
      openFiles: () => maskDeep(openFilesOfMembers(members)),
      budgetMs: timings.evidenceMs,
    });
    const { folder, manifest, evidenceMs } = result;
    const gaps = [...result.gaps];
    session.supervisor?.send({ kind: 'evidence', folder, manifest, gaps, evidenceMs });
    records.note({ kind: 'evidence written', session: session.id, folder, manifest, gaps });
  }

  /** The supervisor is gone without its last word. */
  async endWithoutSupervisor(
    session: Session,
    supervisor: ProcessKey | undefined,
    cause: string,
  ): Promise<void> {
    if (session.view.state === 'ended' || this.ending.has(session)) return;
    this.ending.add(session);
    this.parts.sessions.update(session, { ...session.view, state: 'ending' });
    const certificate = await endOrphaned(session, supervisor, cause, this.parts.endRecorded);
    this.ending.delete(session);
    await this.finish(session, certificate);
  }

  /** The family's end, by whoever's word, with what stayed behind of it. */
  async finish(session: Session, told: Certificate): Promise<void> {
    if (session.view.state === 'ended' || this.finishing.has(session)) return;
    this.finishing.add(session);
    const { records, reviewers, sessions, refusals, traffic, persistence } = this.parts;
    refusals.ending(session);
    traffic.ending(session);
    const left = await persistence.end(session);
    const certificate = maskDeep(left === undefined ? told : withPersistence(told, left));
    this.finishing.delete(session);
    if (left !== undefined) {
      const { changes, gaps, sessions: ran } = left;
      records.note({ kind: 'persistence', session: session.id, sessions: ran, changes, gaps });
    }
    records.note({ kind: 'certificate', certificate });
    sessions.end(session, certificate.cause, certificate);
    reviewers.broadcast({ kind: 'certificate', certificate });
    for (const tell of session.onCertificate.splice(0)) tell(certificate);
  }
}

function withPersistence(told: Certificate, left: PersistenceResult): Certificate {
  const persistence = left.changes.map((change) => ({ ...change, sessions: left.sessions }));
  return { ...told, persistence, gaps: [...told.gaps, ...left.gaps] };
}
