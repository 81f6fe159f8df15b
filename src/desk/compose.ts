/** The desk's parts and how they know of each other. No part reaches another but through what stands here. */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { EvidenceInput } from '../contain/evidence.ts';
import type { JournalWriter } from '../journal/writer.ts';
import { admission } from './admission.ts';
import { Approvals } from './approvals/approvals.ts';
import { Census } from './census.ts';
import { Containment } from './containment.ts';
import { reasonOf } from './deskError.ts';
import { Digests } from './digests.ts';
import { Enrolment } from './enrolment.ts';
import { allFamilies, FamilyFile, type RecordedFamily } from './familyFile.ts';
import { Installation } from './installation.ts';
import { InstallationWatch } from './installationWatch.ts';
import { Leftovers } from './leftovers.ts';
import { Persistence, type PersistenceParts } from './persistence.ts';
import { PersonRole } from './personRole.ts';
import { isAlive, processTable } from './processes.ts';
import { Questions } from './questions.ts';
import { Records } from './records.ts';
import { Refusals } from './refusals.ts';
import { Reviewers } from './reviewers.ts';
import { Sessions } from './sessions.ts';
import { sweepSilent } from './silence.ts';
import { StartApprovals } from './startApprovals.ts';
import { SupervisorRole } from './supervisorRole.ts';
import type { Timings } from './timings.ts';
import { Traffic } from './traffic.ts';
import { judgeAgain, Visitor, type VisitorParts } from './visitor.ts';
import type { EndRecorded } from './watchdog.ts';
import { supervisorSilent } from './wording.ts';

export interface DeskParts extends Pick<PersistenceParts, 'home' | 'commands' | 'firstLookDone'> {
  readonly uid: number;
  readonly user: string;
  readonly timings: Timings;
  readonly journal: JournalWriter;
  readonly stateDirectory: string;
  readonly hasEnrolmentRecord: () => boolean;
  readonly processTable: EvidenceInput['processTable'];
  readonly endRecorded: EndRecorded;
  readonly bootId: string;
  /** Absolute paths of what Kinwatch runs from. */
  readonly ownFiles: readonly string[];
  readonly serversFile: string;
  /** Left by an earlier desk. */
  readonly families: readonly RecordedFamily[];
  /** Called when there was neither a session nor a connection for the idle time. */
  readonly idle: () => void;
}

export interface Desk {
  /** Once it listens: those who may come back have their time from here. */
  begin(): void;
  accept(socket: Socket): void;
  /** Closes every connection and the journal. */
  close(reason: string): void;
}

export function composeDesk(parts: DeskParts): Desk {
  const { timings, uid } = parts;
  const visitors = new Set<Visitor>();
  const census = new Census(uid);
  const reviewers: Reviewers = new Reviewers((isAny) => approvals.reviewersChanged(isAny));
  const records: Records = new Records(parts.journal, (reason) => {
    const text = `${reason}; everything that needs a decision is denied until it can be written`;
    reviewers.broadcast({
      kind: 'refusal',
      what: 'answer',
      rule: 'record could not be written',
      text,
      at: new Date().toISOString(),
    });
  });
  const refusals: Refusals = new Refusals(records, reviewers, () => sessions);
  const sessions: Sessions = new Sessions(
    census,
    records,
    reviewers,
    () => sessionsChanged(),
    () => familyFile.changed(),
  );
  const questions = new Questions(records, reviewers);
  const traffic = new Traffic(sessions, records);
  const approvals: Approvals = new Approvals({
    sessions,
    questions,
    records,
    reviewers,
    refusals,
    noReviewerMs: timings.noReviewerMs,
    contain: (session, by) => void containment.request(session, by),
  });
  const persistence = new Persistence({ ...parts, ...timings, reviewers, sessions });
  const asked = { sessions, questions, records, reviewers, refusals, persistence };
  const starts = new StartApprovals(asked, timings.lateAllowMs);
  const containment: Containment = new Containment({
    sessions,
    reviewers,
    records,
    refusals,
    approvals,
    traffic,
    starts,
    persistence,
    timings,
    evidenceDirectory: join(parts.stateDirectory, 'evidence'),
    processTable: parts.processTable,
    endRecorded: parts.endRecorded,
  });
  const enrolment = new Enrolment(parts.stateDirectory, parts.hasEnrolmentRecord);
  const sweeps = (ms: number): number => Math.ceil(ms / timings.sweepMs);
  const leftovers = new Leftovers(parts.families, {
    bootId: parts.bootId,
    sessions,
    containment,
    census,
    isAlive,
    takeUpSweeps: sweeps(timings.takeUpMs),
  });
  const familyFile = new FamilyFile(
    join(parts.stateDirectory, 'families.json'),
    () => allFamilies(sessions.living(), leftovers.list(), parts.bootId),
    (reason) =>
      refusals.report({
        what: 'installation',
        rule: 'record could not be written',
        text: `families.json cannot be written: ${reason}; should this desk be killed, the next one does not know what runs`,
      }),
  );
  const installation = new Installation([...parts.ownFiles, parts.serversFile, enrolment.file]);
  const installationWatch = new InstallationWatch({
    installation,
    file: join(parts.stateDirectory, 'installation.json'),
    sessions,
    containment,
    records,
    refusals,
    isConfiguration: (path) => path === parts.serversFile,
    restore: (path) => {
      if (path !== enrolment.file) return;
      enrolment.restore();
      installation.accept(path);
    },
  });

  const supervisorParts = {
    sessions,
    starts,
    approvals,
    traffic,
    containment,
    persistence,
    records,
    refusals,
    reviewers,
    census,
    table: processTable,
    digests: new Digests(),
  };
  const visitorParts: VisitorParts = {
    known: census,
    table: processTable,
    refusals,
    helloMs: timings.helloMs,
    admitReviewer: admission(enrolment, records, () => installation.accept(enrolment.file)),
    speakAs: (admitted, port) => {
      if (admitted.role === 'supervisor') {
        return {
          handler: new SupervisorRole(port, admitted.session, supervisorParts),
          started: () => undefined,
        };
      }
      const person = new PersonRole(admitted.role, port, {
        sessions,
        questions,
        reviewers,
        containment,
        records,
        ...parts,
        judgeAgain: (role, peer) => judgeAgain(role, peer, visitorParts),
      });
      return { handler: person, started: () => person.begin() };
    },
  };

  let idleTimer: NodeJS.Timeout | undefined;
  let settled: NodeJS.Timeout | undefined;
  let isClosing = false;
  function watchIdle(): void {
    clearTimeout(idleTimer);
    if (isClosing || visitors.size > 0 || sessions.living().length > 0 || leftovers.isAny) return;
    idleTimer = setTimeout(parts.idle, timings.idleMs);
  }
  function sessionsChanged(): void {
    watchIdle();
    familyFile.changed();
    lookAtInstallation();
  }
  function lookAtInstallation(): void {
    if (isClosing) return; // the next desk compares with what this one knew while it ran
    installationWatch.look().catch((error: unknown) => installationFailed(error));
  }
  function installationFailed(error: unknown): void {
    const text = `Kinwatch's own files cannot be compared: ${reasonOf(error)}`;
    refusals.report({ what: 'installation', rule: 'record could not be read', text });
  }
  const silentCause = supervisorSilent(timings.silentMs);
  const sweeper = setInterval(() => {
    leftovers.sweep();
    sweepSilent(
      sessions,
      sweeps(timings.silentMs),
      (...of) => void containment.endWithoutSupervisor(...of),
      silentCause,
    );
    refusals.sweep();
    traffic.sweep();
    sessions.tellGaps();
    starts.sweep(isAlive);
    census.sweep(isAlive);
    sessions.prune(timings.endedViewMs);
  }, timings.sweepMs);
  watchIdle();

  return {
    begin: () => {
      leftovers.sweep();
      familyFile.changed();
      settled = setTimeout(() => {
        installationWatch.compareWithLast().catch((error: unknown) => installationFailed(error));
      }, timings.settleMs);
    },
    accept: (socket) => {
      const visitor: Visitor = new Visitor(socket, visitorParts, () => {
        visitors.delete(visitor);
        watchIdle();
      });
      visitors.add(visitor);
      watchIdle();
    },
    close: (reason) => {
      isClosing = true;
      clearTimeout(idleTimer);
      clearTimeout(settled);
      clearInterval(sweeper);
      for (const visitor of visitors) visitor.close();
      familyFile.close();
      refusals.closeAll();
      traffic.closeAll();
      records.note({ kind: 'desk ended', reason });
      records.close();
    },
  };
}
