/**
 * The harder shell of `"isolation": "process namespace"`: the server and all that it starts live in a pid namespace
 * (`pid_namespaces(7)`) whose first process, the server, is killed by the kernel with the supervisor. Plain programs of
 * util-linux make it: nothing of Kinwatch's own runs between.
 *
 * Limits: the server can take the signal off itself (`PR_SET_PDEATHSIG`, `prctl(2)`), and the desk ends the family as any
 * other; as first process of its namespace it gets only those signals that it handles, so one without a handler for SIGTERM ends
 * by SIGKILL.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { isSystemOwned, lookAtProgram, type ProgramLook } from '../watch/program.ts';

/** Only where nobody but root can put a program. */
const directories = ['/usr/bin', '/bin'];
const tryMs = 5000;

export interface Launchers {
  /** Given to the kernel. */
  readonly path: string;
  /** What stands before the server's own command. */
  readonly words: readonly string[];
  /** `setpriv(1)` and `unshare(1)`, in the order in which they run. */
  readonly programs: readonly [ProgramLook, ProgramLook];
}

export type LaunchersResult =
  | { readonly kind: 'permitted'; readonly launchers: Launchers }
  /** Why not here, as half a sentence. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Tries it: makes such a namespace and runs `true` in it.
 *
 * @param where for tests.
 */
export async function namespaceLaunchers(where: readonly string[] = directories): Promise<LaunchersResult> {
  const found = (name: string): string | undefined =>
    where.map((directory) => `${directory}/${name}`).find((path) => existsSync(path));
  const [setpriv, unshare, nothing] = [found('setpriv'), found('unshare'), found('true')];
  if (setpriv === undefined || unshare === undefined || nothing === undefined) {
    const missing = [setpriv ?? 'setpriv', unshare ?? 'unshare', nothing ?? 'true'].find(
      (name) => !name.startsWith('/'),
    );
    return { kind: 'refused', reason: `${missing} is not in ${where.join(' or ')} (util-linux, coreutils)` };
  }
  const inner = [
    unshare,
    '--user',
    '--map-current-user',
    '--pid',
    '--fork',
    '--kill-child=SIGKILL',
    '--',
  ] as const;
  const words = [setpriv, '--pdeathsig', 'KILL', '--', ...inner];
  const [outer, second] = [look(words), look(inner)];
  if (outer === undefined || second === undefined)
    return { kind: 'refused', reason: `${setpriv} or ${unshare} cannot be read, or is not the system’s own` };
  try {
    await promisify(execFile)(setpriv, [...words.slice(1), nothing], {
      timeout: tryMs,
      killSignal: 'SIGKILL',
      env: { PATH: directories.join(':'), LC_ALL: 'C' },
    });
  } catch (error) {
    const said = (error as { readonly stderr?: string }).stderr?.trim().split('\n', 1)[0] ?? '';
    return {
      kind: 'refused',
      reason: said === '' ? 'it was tried and did not end in time' : `it was tried: ${said}`,
    };
  }
  return { kind: 'permitted', launchers: { path: setpriv, words, programs: [outer, second] } };
}

/** Undefined when it is unreadable, or a process of this user could change it. Root may change everything. */
function look(argv: readonly string[]): ProgramLook | undefined {
  const result = lookAtProgram(argv[0] ?? '', argv, '/');
  if (result.kind !== 'program') return undefined;
  return process.getuid?.() === 0 || isSystemOwned(result.look) ? result.look : undefined;
}
