/** Is this exec one of the moments that need a person? Pure: DESIGN §3, the start-up rule included. */
import type { Rule } from './rules.ts';

/** What is judged of a program. */
export interface ExecLook {
  /** Same value = same program: real files by content (or by inode where no member can write), script and inline text. */
  readonly identity: string;
  /** Every file of it is owned by the system, no member can write or replace it, and no variable adds other code. */
  readonly systemOwned: boolean;
  /** Its executable or script lies in the package of the approved command, and no variable adds other code. */
  readonly inStartPackage: boolean;
  /** Code from a pipe: never learned, never in a grant. */
  readonly codeOnStdin: boolean;
}

export interface JudgeState {
  readonly phase: 'startup' | 'running' | 'ending';
  /** Identities approved with the start, seen during start-up, or granted for the session. */
  readonly approved: ReadonlySet<string>;
  /** True once a request other than `initialize` was forwarded: inline code may then be built from its arguments. */
  readonly requestSeen: boolean;
}

export type ExecJudgement =
  | { readonly kind: 'release'; readonly because: 'approved with the start' | 'start-up' | 'seen before' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'refuse'; readonly rule: Rule };

export function judgeExec(look: ExecLook, state: JudgeState): ExecJudgement {
  if (state.phase === 'ending') return { kind: 'refuse', rule: 'family is ending' };
  if (look.codeOnStdin) return { kind: 'ask' };
  if (state.approved.has(look.identity)) {
    return {
      kind: 'release',
      because: state.phase === 'startup' ? 'approved with the start' : 'seen before',
    };
  }
  if (state.phase === 'startup' && !state.requestSeen && (look.systemOwned || look.inStartPackage)) {
    return { kind: 'release', because: 'start-up' };
  }
  return { kind: 'ask' };
}
