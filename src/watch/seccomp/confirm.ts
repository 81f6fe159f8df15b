/** What really started, and whether it is what was judged: read before the new program's `main`. */
import { type BigIntStats, readlinkSync, statSync } from 'node:fs';
import type { Argument } from '../../core/facts.ts';
import { readCmdline } from '../proc.ts';
import type { ProgramLook } from '../program.ts';
import { toArgument } from './capture.ts';

export interface Expectation {
  readonly look: ProgramLook;
  readonly argv: readonly Argument[];
}

export interface Started {
  readonly exe: string;
  readonly stats: BigIntStats;
  readonly argv: readonly Argument[];
  readonly cwd: string;
}

export function readStarted(pid: number): Started | undefined {
  const proc = `/proc/${pid}`;
  try {
    return {
      exe: readlinkSync(`${proc}/exe`),
      // Through the link: the text of the link can be made to lie by a mount namespace, the inode cannot.
      stats: statSync(`${proc}/exe`, { bigint: true }),
      argv: (readCmdline(pid) ?? []).map(toArgument),
      cwd: readlinkSync(`${proc}/cwd`),
    };
  } catch {
    return undefined; // gone or unreadable: the caller ends it
  }
}

/** What started instead of the expected program; undefined when it is the one that was judged. */
export function differs(expectation: Expectation | undefined, started: Started): string | undefined {
  if (expectation === undefined) return undefined;
  const { facts, changedNs } = expectation.look.executable;
  const same =
    started.stats.dev.toString() === facts.device &&
    started.stats.ino.toString() === facts.inode &&
    started.stats.ctimeNs === changedNs;
  if (!same) return started.exe;
  // Behind a `#!` the kernel rewrites the vector; otherwise it must be what was judged. Linux gives an empty
  // vector one empty string.
  const judged = expectation.argv.length === 0 ? [''] : expectation.argv;
  const rewritten = expectation.look.viaShebang;
  return rewritten || sameArguments(judged, started.argv) ? undefined : `${started.exe} with other arguments`;
}

function sameArguments(left: readonly Argument[], right: readonly Argument[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
