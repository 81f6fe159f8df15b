/**
 * Who may speak in which role (DESIGN invariant 3). Invariant: in doubt nobody may; a peer or an ancestor that
 * cannot be read is refused.
 */
import type { ProcessKey } from '../core/facts.ts';
import type { Role, Rule } from '../protocol/desk.ts';

/** The process at the other end, identified at accept. */
export interface Peer extends ProcessKey {
  readonly uid: number;
}

/** What the rules look at, so that they can be tried without processes. */
export interface ProcessTable {
  /** Undefined when the process is gone or may not be read. */
  stat(
    pid: number,
  ): { readonly ppid: number; readonly startTicks: number; readonly state: string } | undefined;
  cmdline(pid: number): readonly string[] | undefined;
}

/** Processes the desk knows by name. */
export interface KnownProcesses {
  readonly uid: number;
  isMember(key: ProcessKey): boolean;
  isSupervisor(key: ProcessKey): boolean;
  isClient(key: ProcessKey): boolean;
}

export type PeerVerdict =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused'; readonly rule: Rule; readonly text: string };

const maxDepth = 4096;

/** The process and its ancestors, nearest first. Undefined when one of them could not be read. */
export function lineageOf(pid: number, table: ProcessTable): ProcessKey[] | undefined {
  const line: ProcessKey[] = [];
  let next = pid;
  let youngest = Number.POSITIVE_INFINITY;
  while (next > 0) {
    const stat = table.stat(next);
    // A parent younger than its child is a reused pid: the chain was read across an end.
    if (stat === undefined || stat.startTicks > youngest || line.length >= maxDepth) return undefined;
    line.push({ pid: next, startTicks: stat.startTicks });
    youngest = stat.startTicks;
    next = stat.ppid;
  }
  return line;
}

export function judgePeer(role: Role, peer: Peer, known: KnownProcesses, table: ProcessTable): PeerVerdict {
  if (peer.uid !== known.uid) {
    return refused(
      'wrong user',
      `process ${peer.pid} runs as user ${peer.uid}, this desk serves ${known.uid}`,
    );
  }
  const own = table.stat(peer.pid);
  if (own === undefined || own.startTicks !== peer.startTicks || own.state === 'Z') {
    return refused(
      'peer cannot be read',
      `process ${peer.pid} has ended or cannot be read; connect anew and stay`,
    );
  }
  const line = lineageOf(peer.pid, table);
  if (line === undefined) {
    return refused('peer cannot be read', `an ancestor of process ${peer.pid} cannot be read; connect anew`);
  }
  const ancestors = line.slice(1);
  const isInFamily =
    line.some((key) => known.isMember(key)) ||
    ancestors.some((key) => known.isSupervisor(key)) ||
    (role !== 'supervisor' && known.isSupervisor(peer));
  if (isInFamily) {
    return refused(
      'peer is in a family',
      `process ${peer.pid} belongs to a supervised family; it may not speak as ${role}`,
    );
  }
  return role === 'reviewer' ? judgeReviewer(peer, ancestors, known, table) : { kind: 'admitted' };
}

function judgeReviewer(
  peer: Peer,
  ancestors: readonly ProcessKey[],
  known: KnownProcesses,
  table: ProcessTable,
): PeerVerdict {
  const client = ancestors.find((key) => known.isClient(key));
  if (client !== undefined) {
    return refused(
      'peer descends from a client',
      `process ${peer.pid} was started by process ${client.pid}, an MCP client that is supervised; review from an editor that the client did not start`,
    );
  }
  for (const { pid } of ancestors) {
    const cmdline = table.cmdline(pid);
    if (cmdline === undefined) {
      return refused('peer cannot be read', `process ${pid}, an ancestor of ${peer.pid}, cannot be read`);
    }
    if (isTerminalHost(cmdline)) {
      return refused(
        'peer runs under an editor terminal',
        `process ${peer.pid} runs in an editor's terminal, where agents run commands too; review in the editor itself`,
      );
    }
  }
  return { kind: 'admitted' };
}

/**
 * An editor's terminal host: `--type=ptyHost` in the server. The desktop editor's is a node service like its
 * extension host; a reviewer is such a service itself, never below one.
 */
function isTerminalHost(cmdline: readonly string[]): boolean {
  return cmdline.includes('--type=ptyHost') || cmdline.includes('--utility-sub-type=node.mojom.NodeService');
}

function refused(rule: Rule, text: string): PeerVerdict {
  return { kind: 'refused', rule, text };
}
