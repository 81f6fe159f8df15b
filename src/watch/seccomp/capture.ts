/** Reads what an exec was called with, out of the caller's memory while it waits. */
import { isUtf8 } from 'node:buffer';
import { readlinkSync } from 'node:fs';
import type { Argument } from '../../core/facts.ts';
import type { Notification } from '../../kernel/listener.ts';
import type { TargetMemory } from '../../kernel/memory.ts';
import { errnos, syscalls } from '../../kernel/numbers.ts';
import { toArgument } from '../argument.ts';
import { isCodeBearing } from '../environment.ts';

/** Longest path that `execve(2)` takes. */
const maxPathBytes = 4096;
/** Arguments and environment read before judgement, together; more is held as too large. */
export const argumentLimitBytes = 128 * 1024;
const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;

export interface ExecCall {
  /** As given to the call. */
  readonly requested: string;
  /** What an interpreter behind a `#!` line is given as its script: `execve(2)`, `execveat(2)`. */
  readonly scriptName: string;
  /** Absolute, not yet resolved. */
  readonly path: string;
  /** True when the program is named by an open descriptor instead of a path (`fexecve`, memory files). */
  readonly byDescriptor: boolean;
  readonly cwd: string;
}

export type PathResult = { readonly kind: 'call'; readonly call: ExecCall } | { readonly kind: 'unreadable' };

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // gone, or a process that may not be read
  }
}

/** The path half of the call: cheap, so that attempts on files that do not exist are answered from it alone. */
export function readExecPath(memory: TargetMemory, notification: Notification, pid: number): PathResult {
  const at = notification.call === syscalls().execveat;
  const bytes = memory.readString(pid, notification.arguments[at ? 1 : 0], maxPathBytes);
  const cwd = link(`/proc/${notification.tid}/cwd`);
  if (bytes === undefined || cwd === undefined) return { kind: 'unreadable' };
  if (!isUtf8(bytes)) return { kind: 'unreadable' };
  const requested = bytes.toString('utf8');
  const by = (base: string, scriptName = requested): PathResult => ({
    kind: 'call',
    call: {
      requested,
      scriptName,
      path: own(requested.startsWith('/') ? requested : `${base}/${requested}`, notification.tid),
      byDescriptor: false,
      cwd,
    },
  });
  if (!at || requested.startsWith('/')) return by(cwd);
  const directory = Number(BigInt.asIntN(32, notification.arguments[0]));
  const flags = Number(notification.arguments[4] & 0xffffffffn);
  if (directory === AT_FDCWD) return by(cwd);
  const target = link(`/proc/${notification.tid}/fd/${directory}`);
  if (target === undefined) return { kind: 'unreadable' };
  const scriptName = `/dev/fd/${directory}${requested === '' ? '' : `/${requested}`}`;
  if (requested !== '' || (flags & AT_EMPTY_PATH) === 0) return by(target, scriptName);
  return {
    kind: 'call',
    call: { requested: target, scriptName, path: target, byDescriptor: true, cwd },
  };
}

/** `/proc/self` and `/dev/fd` mean the caller's, not ours. The path is not normalised: `..` behind a link is the kernel's business. */
function own(path: string, tid: number): string {
  return path
    .replace(/^\/+dev\/+fd\//u, `/proc/${tid}/fd/`)
    .replace(/^\/+proc\/+(?:thread-)?self(?=\/|$)/u, `/proc/${tid}`);
}

export type VectorResult =
  | {
      readonly kind: 'vector';
      readonly argv: readonly Argument[];
      /** Of the environment: the variables that make it load or run other code, as `NAME=value`. */
      readonly environment: readonly Argument[];
    }
  | { readonly kind: 'refused'; readonly rule: 'arguments unreadable' | 'arguments too large' };

export function readArguments(memory: TargetMemory, notification: Notification, pid: number): VectorResult {
  const at = notification.call === syscalls().execveat;
  const vector = memory.readVector(pid, notification.arguments[at ? 2 : 1], argumentLimitBytes);
  if (vector === undefined) return { kind: 'refused', rule: 'arguments unreadable' };
  if (vector.truncated) return { kind: 'refused', rule: 'arguments too large' };
  const leftBytes = argumentLimitBytes - vector.sizeBytes;
  const variables = memory.readVector(pid, notification.arguments[at ? 3 : 2], leftBytes, isCodeBearing);
  if (variables === undefined) return { kind: 'refused', rule: 'arguments unreadable' };
  if (variables.truncated) return { kind: 'refused', rule: 'arguments too large' };
  return {
    kind: 'vector',
    argv: vector.strings.map(toArgument),
    environment: variables.strings.map(toArgument),
  };
}

/** A file that only exists in memory, or exists no more: nobody could look at it again. */
export function isMemoryOnly(call: ExecCall): boolean {
  let target = call.path;
  if (/^\/proc\/\d+\/fd\/\d+$/u.test(target)) target = readlinkSync(target);
  return target.startsWith('/memfd:') || target.endsWith(' (deleted)');
}

/** The errno of a file that could not be looked at, by its name. */
export function errnoFor(code: string): number {
  const known: Readonly<Record<string, number>> = {
    ENOENT: 2,
    EACCES: 13,
    ENOTDIR: 20,
    ELOOP: 40,
    ENAMETOOLONG: 36,
  };
  return known[code] ?? errnos.EACCES;
}
