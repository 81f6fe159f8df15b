/** The desk's parts and how they know of each other. No part reaches another but through what stands here. */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { EvidenceInput } from '../contain/evidence.ts';
import type { JournalWriter } from '../journal/writer.ts';
import { readExe } from '../watch/proc.ts';
import { Census } from './census.ts';
import { Containment } from './containment.ts';
import { reasonOf } from './deskError.ts';
import { Digests } from './digests.ts';
import { Enrolment } from './enrolment.ts';
import { ExecApprovals } from './execApprovals.ts';
import type { Peer } from './peer.ts';
import { PersonRole } from './personRole.ts';
import { isAlive, processTable } from './processes.ts';
import { Questions } from './questions.ts';
import { Records } from './records.ts';
import { Refusals } from './refusals.ts';
import { Reviewers } from './reviewers.ts';
import { Sessions } from './sessions.ts';
import { StartApprovals } from './startApprovals.ts';
import { SupervisorRole } from './supervisorRole.ts';
import type { Timings } from './timings.ts';
import { judgeAgain, Visitor, type VisitorParts } from './visitor.ts';
import type { EndRecorded } from './watchdog.ts';

export interface DeskParts {
  readonly uid: number;
  readonly user: string;
  readonly timings: Timings;
  readonly journal: JournalWriter;
  readonly stateDirectory: string;
  readonly hasEnrolmentRecord: () => boolean;
  readonly processTable: EvidenceInput['processTable'];
  readonly endRecorded: EndRecorded;
  /** Called when there was neither a session nor a connection for the idle time. */
  readonly idle: () => void;
}

export interface Desk {
  accept(socket: Socket): void;
  /** Closes every connection and the journal. */
  close(reason: string): void;
}

export function composeDesk(parts: DeskParts): Desk {
  const { timings, uid } = parts;
  const visitors = new Set<Visitor>();
  const census = new Census(uid);
  const reviewers: Reviewers = new Reviewers((isAny) => execs.reviewersChanged(isAny));
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
  const refusals = new Refusals(records, reviewers);
  const sessions = new Sessions(census, records, reviewers, () => watchIdle());
  const questions = new Questions(records, reviewers);
  const execs: ExecApprovals = new ExecApprovals(
    sessions,
    questions,
    records,
    reviewers,
    timings.noReviewerMs,
    (session, by) => void containment.request(session, by),
  );
  const starts = new StartApprovals(sessions, questions, records, reviewers, refusals, timings.lateAllowMs);
  const containment: Containment = new Containment({
    sessions,
    reviewers,
    records,
    execs,
    starts,
    timings,
    evidenceDirectory: join(parts.stateDirectory, 'evidence'),
    processTable: parts.processTable,
    endRecorded: parts.endRecorded,
  });
  const enrolment = new Enrolment(parts.stateDirectory, parts.hasEnrolmentRecord);

  const admitReviewer = async (
    peer: Peer,
    token: string | undefined,
  ): ReturnType<VisitorParts['admitReviewer']> => {
    const verdict = enrolment.judge(token);
    if (verdict.kind === 'refused') return { refused: verdict.text };
    const who = { pid: peer.pid, startTicks: peer.startTicks, exe: readExe(peer.pid) ?? null };
    if (verdict.kind === 'known') {
      records.note({ kind: 'reviewer connected', ...who });
      return 'known';
    }
    enrolment.reserve(verdict.hash);
    const isWritten = await records.decide({ kind: 'reviewer enrolled', ...who });
    try {
      if (!isWritten) throw new Error('its record could not be written; free disk space and try again');
      enrolment.enrol(verdict.hash);
      return 'new';
    } catch (error) {
      enrolment.release();
      return { refused: `the reviewer cannot be enrolled: ${reasonOf(error)}` };
    }
  };

  const supervisorParts = {
    sessions,
    starts,
    execs,
    containment,
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
    admitReviewer,
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
        user: parts.user,
        judgeAgain: (role, peer) => judgeAgain(role, peer, visitorParts),
      });
      return { handler: person, started: () => person.begin() };
    },
  };

  let idleTimer: NodeJS.Timeout | undefined;
  let isClosing = false;
  function watchIdle(): void {
    clearTimeout(idleTimer);
    if (isClosing || visitors.size > 0 || sessions.living().length > 0) return;
    idleTimer = setTimeout(parts.idle, timings.idleMs);
  }
  const sweeper = setInterval(() => {
    starts.sweep(isAlive);
    census.sweep(isAlive);
    sessions.prune(timings.endedViewMs);
  }, timings.sweepMs);
  watchIdle();

  return {
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
      clearInterval(sweeper);
      for (const visitor of visitors) visitor.close();
      records.note({ kind: 'desk ended', reason });
      records.close();
    },
  };
}
