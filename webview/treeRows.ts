/**
 * Sessions as the flat rows of a tree. Lineage is that of birth: a detached child stays under the parent that
 * started it. Pure.
 */
import type { ProcessView, SessionView } from '../src/protocol/desk.ts';

interface Place {
  readonly key: string;
  /** From 1. */
  readonly level: number;
  readonly setSize: number;
  readonly position: number;
  /** Null when there is nothing below. */
  readonly expanded: boolean | null;
  readonly session: SessionView;
}
export type FamilyRow = Place & { readonly kind: 'family'; readonly alive: number; readonly ended: number };
export type ProcessRow = Place & {
  readonly kind: 'process';
  readonly process: ProcessView;
  readonly parent: ProcessView | null;
  /** The topmost process of its request: the chip sits here. */
  readonly isTopOfRequest: boolean;
};
/** Several ended children of the same program and request, told as one. */
export type GroupRow = Place & {
  readonly kind: 'group';
  readonly processes: readonly ProcessView[];
  readonly isTopOfRequest: boolean;
};
export type TreeRow = FamilyRow | ProcessRow | GroupRow;

/** From this many ended siblings on they are told as one. */
const groupFrom = 3;

export function processKey(session: SessionView, process: ProcessView): string {
  return `${session.session}/${process.pid}@${process.startedAt}`;
}

/** @param isExpanded whether a row's children are shown, given what holds without a person's choice. */
export function treeRows(
  sessions: readonly SessionView[],
  isExpanded: (key: string, byDefault: boolean) => boolean,
): TreeRow[] {
  return sessions.flatMap((session, index) => {
    const key = session.session;
    const expanded = session.processes.length === 0 ? null : isExpanded(key, session.state !== 'ended');
    const ended = session.processes.filter((each) => each.state === 'ended').length;
    const family: FamilyRow = {
      kind: 'family',
      key,
      level: 1,
      setSize: sessions.length,
      position: index + 1,
      expanded,
      session,
      alive: session.processes.length - ended,
      ended: ended + session.endedUnlisted,
    };
    return expanded === true ? [family, ...descendants(session, isExpanded)] : [family];
  });
}

function descendants(
  session: SessionView,
  isExpanded: (key: string, byDefault: boolean) => boolean,
): TreeRow[] {
  const { roots, childrenOf } = lineage(session.processes);
  const rows: TreeRow[] = [];
  const walk = (siblings: readonly ProcessView[], parent: ProcessView | null, level: number): void => {
    const entries = grouped(siblings, childrenOf);
    entries.forEach((members, index) => {
      const [process] = members;
      if (process === undefined) return;
      const isGroup = members.length > 1;
      const own = processKey(session, process);
      const key = isGroup ? `${own}/group` : own;
      const children = childrenOf.get(process) ?? [];
      const hasMore = isGroup || children.length > 0;
      const place = {
        key,
        level,
        setSize: entries.length,
        position: index + 1,
        expanded: hasMore ? isExpanded(key, !isGroup) : null,
        session,
        isTopOfRequest: isTop(process, parent),
      };
      rows.push(
        isGroup
          ? { ...place, kind: 'group', processes: members }
          : { ...place, kind: 'process', process, parent },
      );
      if (place.expanded !== true) return;
      if (!isGroup) return walk(children, process, level + 1);
      members.forEach((member, at) => {
        rows.push({
          kind: 'process',
          key: processKey(session, member),
          level: level + 1,
          setSize: members.length,
          position: at + 1,
          expanded: null,
          session,
          process: member,
          parent,
          isTopOfRequest: false,
        });
      });
    });
  };
  walk(roots, null, 2);
  return rows;
}

function isTop(process: ProcessView, parent: ProcessView | null): boolean {
  const { request } = process;
  if (request === undefined || request.attribution === 'outside') return false;
  return parent?.request?.number !== request.number;
}

interface Lineage {
  readonly roots: readonly ProcessView[];
  readonly childrenOf: ReadonlyMap<ProcessView, readonly ProcessView[]>;
}

function lineage(processes: readonly ProcessView[]): Lineage {
  // By pid first, so that a family of thousands is not searched for each of its members.
  const byPid = new Map<number, ProcessView[]>();
  for (const each of processes) {
    const same = byPid.get(each.pid);
    if (same === undefined) byPid.set(each.pid, [each]);
    else same.push(each);
  }
  const roots: ProcessView[] = [];
  const childrenOf = new Map<ProcessView, ProcessView[]>();
  for (const each of processes.toSorted(byStart)) {
    const parent = parentOf(each, byPid.get(each.ppid) ?? []);
    if (parent === undefined) {
      roots.push(each);
      continue;
    }
    const siblings = childrenOf.get(parent);
    if (siblings === undefined) childrenOf.set(parent, [each]);
    else siblings.push(each);
  }
  return { roots, childrenOf };
}

/** Invariant: a parent comes before its child in `byStart`, so no row can be its own ancestor. */
export function parentOf(child: ProcessView, candidates: readonly ProcessView[]): ProcessView | undefined {
  const older = candidates.filter((each) => each.pid === child.ppid && byStart(each, child) < 0);
  const named = older.find((each) => each.startedAt === child.parentStartedAt);
  // Without the parent's start time: the latest holder of that pid, born before the child.
  return child.parentStartedAt === undefined ? older.toSorted(byStart).at(-1) : named;
}

function byStart(a: ProcessView, b: ProcessView): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
  return a.pid - b.pid;
}

function grouped(siblings: readonly ProcessView[], childrenOf: Lineage['childrenOf']): ProcessView[][] {
  const groups = new Map<string, ProcessView[]>();
  for (const each of siblings) {
    const isPlain =
      each.state === 'ended' &&
      !childrenOf.has(each) &&
      each.refusedBy === undefined &&
      !each.detached &&
      !wasRefused(each);
    const key = isPlain
      ? `${each.exe ?? ''}\n${each.request?.number ?? ''}`
      : `\0${each.pid}@${each.startedAt}`;
    const same = groups.get(key);
    if (same === undefined) groups.set(key, [each]);
    else same.push(each);
  }
  return [...groups.values()].flatMap((members) =>
    members.length >= groupFrom ? [members] : members.map((each) => [each]),
  );
}

function wasRefused({ connections }: ProcessView): boolean {
  return connections?.some(({ state }) => state === 'refused') === true;
}

/** `all exit 0`, `2 exit 0, 1 exit 1`. */
export function statusSummary(processes: readonly ProcessView[]): string {
  const counts = new Map<string, number>();
  for (const each of processes) {
    const status = each.status ?? 'unknown';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const [only] = counts.keys();
  if (counts.size === 1) return `all ${only ?? ''}`;
  return [...counts].map(([status, number]) => `${number} ${status}`).join(', ');
}
