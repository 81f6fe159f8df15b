/**
 * How a family ends. Two orders (DESIGN §1, THREATS 15):
 * - orderly, for a client that stopped or a server that exited: stdin closed, wait, TERM, wait, then kill;
 * - contained, for a person's Contain, a lost desk or a program that was not the judged one: STOP, evidence,
 *   KILL. No grace: it would let hostile code run.
 * Either ends with the kernel's own word: the listener hangs up once no filtered task is left.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { killAll, scanGaps, waitUntilEmpty } from '../contain/end.ts';
import type { Family } from '../contain/family.ts';
import type { Listener } from '../kernel/listener.ts';
import { reapChild } from '../kernel/process.ts';
import type { Certificate } from '../protocol/desk.ts';
import { listPids, readStat } from '../watch/proc.ts';
import type { EndTimes } from './endTimes.ts';

export interface EvidenceResult {
  readonly folder: string | null;
  readonly manifest: string | null;
  readonly gaps: readonly string[];
  readonly evidenceMs: number;
}

/** What an ending works on. */
export interface EndSubject {
  readonly family: Family;
  readonly listener: Listener;
  /** The server's pid: Node collects it, until its thread is gone. */
  readonly rootPid: number;
  /** True once the server's exit was told by the thread that launched it. */
  rootExited(): boolean;
  /** Members whose birth was told and whose end was not. */
  known(): number;
  /** No exec is released any more. */
  refuseAll(): void;
  /** Members are stopped: their evidence is written. Always answers, within its own budget. */
  evidence(): Promise<EvidenceResult>;
  endSpawner(): Promise<void>;
  /** True once a second request, or a person's Contain, cut the orderly end short. */
  hurried(): boolean;
}

type CertificateParts = Omit<Certificate, 'session'>;

/** Collects orphans that hang under the supervisor. */
function reapOrphans(except: number): void {
  for (const pid of listPids()) {
    if (pid === except) continue;
    const stat = readStat(pid);
    if (stat?.ppid === process.pid && stat.ended) reapChild(pid);
  }
}

export async function endOrderly(
  subject: EndSubject,
  cause: string,
  closeInput: () => void,
  times: EndTimes,
): Promise<CertificateParts> {
  const started = performance.now();
  const requestedAt = new Date().toISOString();
  const between = (): void => reapOrphans(subject.rootPid);
  closeInput();
  await untilRootExited(subject, times.closeMs);
  // Nobody is known to be left: the kernel's word is asked before its table is looked through.
  const isEmpty = subject.rootExited() && (subject.known() === 0 || subject.family.living().length === 0);
  if (!isEmpty && !subject.hurried()) {
    subject.family.terminate();
    await waitHurriedly(subject, times.termMs, between);
  }
  subject.refuseAll();
  // One look can miss a process that is just being born: only the kernel's word makes another one needless.
  const isProved = isEmpty && (await hungUpWithoutSpawner(subject));
  const survivors = isProved ? 0 : await killAll(subject.family, between);
  return finish(subject, cause, requestedAt, started, survivors, {
    folder: null,
    manifest: null,
    gaps: [],
    evidenceMs: 0,
  });
}

async function untilRootExited(subject: EndSubject, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!subject.rootExited() && !subject.hurried() && performance.now() < until) await delay(5);
}

async function waitHurriedly(subject: EndSubject, timeoutMs: number, between: () => void): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!subject.hurried() && performance.now() < until) {
    if (await waitUntilEmpty(subject.family, 20, between)) return;
  }
}

export async function endContained(subject: EndSubject, cause: string): Promise<CertificateParts> {
  const started = performance.now();
  const requestedAt = new Date().toISOString();
  subject.refuseAll();
  subject.family.freeze();
  const evidence = await subject.evidence();
  const survivors = await killAll(subject.family, () => reapOrphans(subject.rootPid));
  return finish(subject, cause, requestedAt, started, survivors, evidence);
}

/** The hang-up comes within milliseconds of the last member's end; longer means somebody is left. */
const proofMs = 1000;

async function finish(
  subject: EndSubject,
  cause: string,
  requestedAt: string,
  started: number,
  survivors: number,
  evidence: EvidenceResult,
): Promise<CertificateParts> {
  await untilRootExited(subject, proofMs);
  const proved = survivors === 0 && (await hungUpWithoutSpawner(subject));
  const { folder, manifest } = evidence;
  return {
    cause,
    signalled: subject.family.signalled().map((member) => ({ ...member, signals: [...member.signals] })),
    survivors,
    proved,
    outside: [],
    evidence: folder === null || manifest === null ? null : { folder, manifest },
    gaps: [...evidence.gaps, ...(proved ? [] : scanGaps())],
    requestedAt,
    durationMs: performance.now() - started,
    evidenceMs: evidence.evidenceMs,
  };
}

/** The filtered thread is ended first: it is under the filter as well. */
async function hungUpWithoutSpawner(subject: EndSubject): Promise<boolean> {
  await subject.endSpawner();
  reapChild(subject.rootPid);
  const until = performance.now() + proofMs;
  for (;;) {
    if (subject.listener.state() === 'empty') return true;
    if (performance.now() > until) return false;
    // A zombie counts as a task until it is collected.
    reapOrphans(subject.rootPid);
    await delay(1);
  }
}
