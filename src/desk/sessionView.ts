/**
 * A session as reviewers see it, folded from its supervisor's messages. Pure: a view goes in, the next comes out.
 */
import { type ConnectionEvent, withConnection } from '../core/family/connections.ts';
import type { ClientFacts } from '../core/facts.ts';
import type { Coverage, ProcessView, Rule, SessionView } from '../protocol/desk.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';

/** Ended processes that stay listed; older ones are only counted. */
const maxEndedListed = 500;

type Of<K extends FromSupervisor['kind']> = Extract<FromSupervisor, { kind: K }>;
type Key = Pick<ProcessView, 'pid' | 'startedAt'>;

export function openedView(
  session: string,
  facts: { readonly server: string; readonly client: ClientFacts; readonly overrides: readonly string[] },
  startedAt: string,
): SessionView {
  return {
    session,
    server: facts.server,
    client: { ...facts.client, argv: [...facts.client.argv] },
    state: 'asking',
    coverage: { level: 'held', text: 'not running yet', gaps: {} },
    startedAt,
    overrides: [...facts.overrides],
    processes: [],
    endedUnlisted: 0,
  };
}

export function withBirth(view: SessionView, birth: Of<'birth'>): SessionView {
  if (indexOf(view, birth) !== -1) return view;
  const process: ProcessView = {
    pid: birth.pid,
    startedAt: birth.startedAt,
    ppid: birth.ppid,
    ...(birth.parentStartedAt === undefined ? {} : { parentStartedAt: birth.parentStartedAt }),
    state: 'running',
    argv: [],
    ...(birth.request === undefined ? {} : { request: birth.request }),
    detached: false,
  };
  return { ...view, processes: [...view.processes, process] };
}

/** The exec's program; what stood there of an earlier one is replaced. */
export function withExec(
  view: SessionView,
  exec: Key & Pick<Of<'exec'>, 'exe' | 'argv' | 'cwd' | 'request'>,
  state: 'running' | 'held',
): SessionView {
  return change(view, exec, ({ refusedBy: _earlier, ...process }) => ({
    ...process,
    state: process.state === 'ended' ? 'ended' : state,
    exe: exec.exe,
    argv: exec.argv,
    cwd: exec.cwd,
    ...(exec.request === undefined ? {} : { request: exec.request }),
  }));
}

/** A held process goes on, as the new program or, when refused, as what it was. */
export function withAnswered(view: SessionView, key: Key, refusedBy: Rule | undefined): SessionView {
  return change(view, key, (process) => ({
    ...process,
    state: process.state === 'ended' ? 'ended' : 'running',
    ...(refusedBy === undefined ? {} : { refusedBy }),
  }));
}

/** What it connects to; it is held as long as one of its connections is. */
export function withConnectionOf(
  view: SessionView,
  connection: Key & ConnectionEvent,
  at: string,
): SessionView {
  return change(view, connection, (process) => ({ ...process, ...withConnection(process, connection, at) }));
}

export function processOf(view: SessionView, key: Key): ProcessView | undefined {
  return view.processes[indexOf(view, key)];
}

export function withDetached(view: SessionView, key: Key): SessionView {
  return change(view, key, (process) => ({ ...process, detached: true }));
}

export function withEnd(view: SessionView, end: Of<'end'>): SessionView {
  const next = change(view, end, (process) => ({
    ...process,
    state: 'ended',
    endedAt: end.at,
    status: end.status,
  }));
  return next === view ? view : withoutSurplus(next);
}

function withoutSurplus(view: SessionView): SessionView {
  if (view.processes.length <= maxEndedListed) return view;
  let ended = 0;
  for (const { state } of view.processes) if (state === 'ended') ended += 1;
  const surplus = ended - maxEndedListed;
  if (surplus <= 0) return view;
  let toDrop = surplus;
  const processes = view.processes.filter((process) => process.state !== 'ended' || toDrop-- <= 0);
  return { ...view, processes, endedUnlisted: view.endedUnlisted + surplus };
}

/** The supervisor's own count, with what the desk did not list. */
export function withGaps(coverage: Coverage, gaps: ReadonlyMap<string, number>): Coverage {
  return gaps.size === 0
    ? coverage
    : { ...coverage, gaps: { ...coverage.gaps, ...Object.fromEntries(gaps) } };
}

/** The client's own claim, from the arguments of its `initialize`. */
export function withClaims(view: SessionView, request: Of<'request'>): SessionView {
  if (request.request.method !== 'initialize') return view;
  let claimed: unknown;
  try {
    claimed = (JSON.parse(request.arguments) as { clientInfo?: unknown } | null)?.clientInfo;
  } catch {
    return view; // cut or masked text is no JSON; there is then no claim to show
  }
  const { name, version } = (claimed ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name !== 'string') return view;
  const claims = { name, version: typeof version === 'string' ? version : '' };
  return { ...view, client: { ...view.client, claims } };
}

/** @param isEmpty nobody is left: whose end was not told has ended too, nobody knows how. */
export function endedView(view: SessionView, cause: string, endedAt: string, isEmpty: boolean): SessionView {
  const processes = view.processes.map((process) =>
    isEmpty && process.state !== 'ended'
      ? { ...process, state: 'ended' as const, endedAt, status: 'unknown' }
      : process,
  );
  return { ...view, state: 'ended', cause, endedAt, processes };
}

/** From the end: what changes was mostly born lately. -1: not listed. */
function indexOf(view: SessionView, key: Key): number {
  return view.processes.findLastIndex((process) => isSame(process, key));
}

function change(view: SessionView, key: Key, next: (process: ProcessView) => ProcessView): SessionView {
  const index = indexOf(view, key);
  const process = view.processes[index];
  if (process === undefined) return view;
  const processes = [...view.processes];
  processes[index] = next(process);
  return { ...view, processes };
}

function isSame(a: Key, b: Key): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt;
}
