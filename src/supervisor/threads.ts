/**
 * What the supervisor's three threads tell each other. Main relays and ends the family; watch judges and talks
 * to the desk; spawner is the only thread under the filter and launches the server.
 */
import type { RequestRef, StartFacts } from '../core/facts.ts';
import type { Domain } from '../kernel/landlock.ts';
import type { Certificate, Rule } from '../protocol/desk.ts';
import type { ProgramLook } from '../watch/program.ts';

export interface SpawnPlan {
  readonly path: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Descriptors that become the server's 0, 1 and 2. */
  readonly stdio: readonly [number, number, number];
}

export type ToSpawner =
  /** Put yourself under the filter; `localOnly`: one that lets no socket of IP through. */
  | { readonly kind: 'enter'; readonly localOnly: boolean }
  | { readonly kind: 'spawn'; readonly plan: SpawnPlan }
  /** Nothing will be launched. */
  | { readonly kind: 'leave' };
export type FromSpawner =
  /** The thread is under the filter. */
  | { readonly kind: 'filtered'; readonly listenerFd: number; readonly domain: Domain }
  | { readonly kind: 'unable'; readonly reason: string }
  | { readonly kind: 'spawned'; readonly pid: number }
  | { readonly kind: 'spawn failed'; readonly reason: string }
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null };

/** A frozen member, as it travels to the desk. */
export interface FrozenMember {
  readonly pid: number;
  readonly startTicks: number;
  readonly startedAt: string;
  readonly ppid: number;
  readonly state: string;
  readonly exe?: string;
  readonly argv: readonly (string | { readonly base64: string })[];
  readonly cwd?: string;
}

export interface MemberKey {
  readonly pid: number;
  readonly startTicks: number;
  readonly startedAt: string;
}

export interface ListenPlan {
  readonly listenerFd: number;
  /** What the kernel starts first, what that starts in turn, and what it becomes: all approved with the start. */
  readonly first: ProgramLook;
  readonly between: readonly ProgramLook[];
  readonly program: ProgramLook;
  /** The file given to the kernel. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Variables it is launched with that make programs load or run other code, as `NAME=value`, in their order. */
  readonly environment: readonly string[];
  readonly user: string;
  readonly callHoldMs: number;
  readonly coverageText: string;
  /** Kinwatch's own folders: no member reaches a socket in them. */
  readonly kinwatch: readonly string[];
  /** The ssh agent's socket, as the family's environment names it. */
  readonly agent?: string;
  readonly localOnly: boolean;
}

export type ToWatch =
  | { readonly kind: 'connect'; readonly socketPath: string }
  | { readonly kind: 'open'; readonly facts: StartFacts; readonly heldUntil: string }
  | { readonly kind: 'listen'; readonly plan: ListenPlan }
  | {
      readonly kind: 'request';
      readonly number: number;
      readonly method: string;
      readonly tool?: string;
      readonly argumentsJson: string;
    }
  | { readonly kind: 'result'; readonly number: number; readonly outcome: ResultOutcome }
  | { readonly kind: 'initialized' }
  /** Something was posted beside this port that waits to be read. */
  | { readonly kind: 'news' }
  | { readonly kind: 'withdrawStart'; readonly reason: string }
  /** From now on every exec is refused, the held ones too. */
  | { readonly kind: 'refuseAll'; readonly cause: string }
  | { readonly kind: 'frozen'; readonly cause: string; readonly members: readonly FrozenMember[] }
  | { readonly kind: 'stopped'; readonly pid: number; readonly startedAt: string; readonly outcome: string }
  | { readonly kind: 'ended'; readonly cause: string; readonly certificate: Omit<Certificate, 'session'> }
  /** Flush, let go of every handle and answer `closed`. */
  | { readonly kind: 'close' };

export type ResultOutcome = 'result' | 'tool error' | 'error' | 'cancelled' | 'marked denied';

export type FromWatch =
  | { readonly kind: 'connected' }
  /** Nobody listens on the desk's socket. */
  | { readonly kind: 'no desk'; readonly reason: string }
  /** Somebody listens there, and does not welcome as a desk of this version does. */
  | { readonly kind: 'not a desk'; readonly reason: string }
  | { readonly kind: 'desk refused'; readonly reason: string }
  | { readonly kind: 'desk lost' }
  | { readonly kind: 'opened'; readonly session: string }
  | { readonly kind: 'start decided'; readonly allow: boolean; readonly text: string }
  | { readonly kind: 'listening' }
  | { readonly kind: 'held'; readonly ref: string; readonly requests: readonly number[] }
  | { readonly kind: 'settled'; readonly ref: string }
  | { readonly kind: 'denied'; readonly request?: RequestRef; readonly rule: Rule; readonly text: string }
  | { readonly kind: 'members'; readonly born: readonly MemberKey[]; readonly gone: readonly MemberKey[] }
  | { readonly kind: 'contain'; readonly cause: string }
  | { readonly kind: 'stopProcess'; readonly pid: number; readonly startedAt: string }
  | {
      readonly kind: 'evidence';
      readonly folder: string | null;
      readonly manifest: string | null;
      readonly gaps: readonly string[];
      readonly evidenceMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'closed' };
