/** What really started, and whether it is what was judged: read before the new program's `main`. */
import { type BigIntStats, readlinkSync, statSync } from 'node:fs';
import type { Argument } from '../../core/facts.ts';
import { sameArguments, toArgument } from '../argument.ts';
import { readCodeBearing } from '../environment.ts';
import { readCmdline } from '../proc.ts';
import type { ProgramLook } from '../program.ts';

export interface Expectation {
  readonly look: ProgramLook;
  /** The path as given to the call: behind a `#!` the kernel hands it to the interpreter. */
  readonly requested: string;
  readonly argv: readonly Argument[];
  /** Its variables that make it load or run other code, as `NAME=value`. */
  readonly environment: readonly Argument[];
}

export interface Started {
  readonly exe: string;
  readonly stats: BigIntStats;
  readonly argv: readonly Argument[];
  /** As of {@link Expectation}. */
  readonly environment: readonly Argument[];
  /** No arguments or no environment at all: the kernel may still be setting it up. */
  readonly isBlank: boolean;
  readonly cwd: string;
}

export function readStarted(pid: number): Started | undefined {
  const proc = `/proc/${pid}`;
  const environment = readCodeBearing(pid);
  if (environment === undefined) return undefined;
  const argv = (readCmdline(pid) ?? []).map(toArgument);
  try {
    return {
      exe: readlinkSync(`${proc}/exe`),
      // Through the link: the text of the link can be made to lie by a mount namespace, the inode cannot.
      stats: statSync(`${proc}/exe`, { bigint: true }),
      argv,
      environment: environment.codeBearing,
      isBlank: argv.length === 0 || environment.isEmpty,
      cwd: readlinkSync(`${proc}/cwd`),
    };
  } catch {
    return undefined; // gone or unreadable: the caller ends it
  }
}

/** What started instead of the expected program; undefined when it is the one that was judged. */
export function differs(expectation: Expectation, started: Started): string | undefined {
  if (!isJudgedFile(expectation, started)) return started.exe;
  if (!sameArguments(vectorOf(expectation), started.argv)) return `${started.exe} with other arguments`;
  return sameArguments(expectation.environment, started.environment)
    ? undefined
    : `${started.exe} with another environment`;
}

/** The file itself, whatever its arguments. */
export function isJudgedFile(expectation: Expectation, { stats }: Started): boolean {
  const { facts, changedNs } = expectation.look.executable;
  return (
    stats.dev.toString() === facts.device &&
    stats.ino.toString() === facts.inode &&
    stats.ctimeNs === changedNs
  );
}

export function isSameFile(left: Started, right: Started): boolean {
  return left.stats.dev === right.stats.dev && left.stats.ino === right.stats.ino;
}

/** As the kernel builds it: an empty vector gets one empty string, a `#!` line replaces the first. */
function vectorOf({ look, requested, argv }: Expectation): readonly Argument[] {
  if (look.viaShebang) return [...look.shebangVector, requested, ...argv.slice(1)];
  return argv.length === 0 ? [''] : argv;
}

/** What runs instead of the image that was confirmed before, when nothing was released since. */
export function changedSince(before: Started, started: Started): string | undefined {
  const isSame =
    isSameFile(before, started) &&
    sameArguments(before.argv, started.argv) &&
    sameArguments(before.environment, started.environment);
  return isSame ? undefined : started.exe;
}
