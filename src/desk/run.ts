/** Puts the desk together and runs it until it is idle. */
import { chmodSync, closeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { endRecorded } from '../contain/end.ts';
import type { EvidenceInput } from '../contain/evidence.ts';
import { hasEnrolmentRecord } from '../journal/enrolmentRecord.ts';
import { openLineJournal } from '../journal/lineWriter.ts';
import type { JournalWriter } from '../journal/writer.ts';
import type { Places } from '../protocol/places.ts';
import { protocolVersion } from '../protocol/desk.ts';
import type { CommandPlace } from '../watch/persistence/commands.ts';
import { bootId, readStat } from '../watch/proc.ts';
import { composeDesk } from './compose.ts';
import { DeskError, reasonOf } from './deskError.ts';
import { readFamilies } from './familyFile.ts';
import { preparePlaces, removeStaleSocket, takeDeskLock, writeFileWhole } from './runtimeDirectory.ts';
import type { Timings } from './timings.ts';
import type { EndRecorded } from './watchdog.ts';

export interface DeskOptions {
  readonly places: Places;
  readonly uid: number;
  /** The user's name, for lists. */
  readonly user: string;
  readonly timings: Timings;
  readonly processTable: EvidenceInput['processTable'];
  /** Opens the journal in this folder. */
  readonly openJournal?: (directory: string) => JournalWriter;
  readonly endRecorded?: EndRecorded;
  /** Absolute paths of the files that Kinwatch runs from. */
  readonly ownFiles?: readonly string[];
  /** The passwd entry's home: start-up places lie there. Absent: only workspaces are compared. */
  readonly home?: string | undefined;
  /** Programs that list crontab and at jobs. Absent: those are not compared. */
  readonly commands?: readonly CommandPlace[];
  /** Told once the first look at the start-up places of a session is over. */
  readonly firstLookDone?: (session: string) => void;
}

export interface RunningDesk {
  /** Resolves when the desk has ended, with the reason. */
  readonly ended: Promise<string>;
  /** Ends it now: connections close, supervisors count a lost desk. */
  stop(reason: string): Promise<void>;
}

export type DeskStart =
  | { readonly kind: 'running'; readonly desk: RunningDesk }
  /** Another process is this user's desk. */
  | { readonly kind: 'already running' };

/** @throws DeskError or JournalError when it cannot run; the message names the next step. */
export async function startDesk(options: DeskOptions): Promise<DeskStart> {
  const { places, uid, timings } = options;
  preparePlaces(places, uid);
  const lock = await takeDeskLock(places.runtime, timings.lockMs);
  if (lock === undefined) return { kind: 'already running' };
  const recordsDirectory = join(places.state, 'records');
  const journal = (options.openJournal ?? openLineJournal)(recordsDirectory);
  const self = { pid: process.pid, startTicks: readStat(process.pid)?.startTicks ?? 0, bootId: bootId() };
  journal.append({
    kind: 'desk started',
    ...self,
    protocol: protocolVersion,
    override: places.override ?? null,
  });

  const left = readFamilies(join(places.state, 'families.json'));
  if (left.fault !== undefined) {
    // Closed to nobody: what ran without a supervisor starts no program any more, and is not known here.
    const text = `families.json cannot be used: ${left.fault}; look for what still runs with: ps -ef`;
    journal.append({ kind: 'refusal', what: 'installation', rule: 'record could not be read', text });
  }

  let end: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const desk = composeDesk({
    uid,
    user: options.user,
    timings,
    journal,
    stateDirectory: places.state,
    hasEnrolmentRecord: () => hasEnrolmentRecord(recordsDirectory),
    processTable: options.processTable,
    endRecorded: options.endRecorded ?? endRecorded,
    bootId: self.bootId,
    ownFiles: options.ownFiles ?? [],
    serversFile: places.serversFile,
    home: options.home,
    commands: options.commands ?? [],
    firstLookDone: options.firstLookDone ?? (() => undefined),
    families: left.families,
    idle: () => void stop('idle'),
  });
  const server = createServer((socket) => desk.accept(socket));
  server.maxConnections = 512;

  let stopping: Promise<void> | undefined;
  const stop = (reason: string): Promise<void> => {
    stopping ??= (async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      desk.close(reason);
      await closed;
      closeSync(lock);
      end(reason);
    })();
    return stopping;
  };

  try {
    removeStaleSocket(places.socket);
    writeFileWhole(join(places.runtime, 'desk.pid'), `${JSON.stringify(self)}\n`);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(places.socket, resolve);
    });
    // The directory is closed to others already; this is for whoever opens it one day.
    chmodSync(places.socket, 0o600);
  } catch (cause) {
    desk.close('could not listen');
    closeSync(lock);
    throw new DeskError('socket', `the desk cannot listen on ${places.socket}: ${reasonOf(cause)}`, {
      cause,
    });
  }
  desk.begin();
  return { kind: 'running', desk: { ended, stop } };
}
