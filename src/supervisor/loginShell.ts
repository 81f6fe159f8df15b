/**
 * The PATH that the user's login shell has. An editor started from a desktop lacks what shell start-up files add, and
 * what they add is the user's business: asked for by name in a configuration, never assumed.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { StartError } from './startError.ts';

const limitMs = 3000;
const largestOutput = 1024 * 1024;
/** What `login(1)` would begin with, as far as a shell's own files build on it. */
const systemPath = '/usr/local/bin:/usr/bin:/bin';

export interface LoginShell {
  readonly shell: string;
  readonly path: string;
}

/**
 * Runs the login shell of the passwd entry, not interactive, from an environment of its own. Its start-up files run
 * outside every family: they are the user's, as in each terminal.
 *
 * @throws StartError when it has none, or does not tell its PATH in time.
 */
export async function loginShell(
  user: { readonly shell: string | null; readonly name: string; readonly home: string } = passwd(),
  waitMs = limitMs,
): Promise<LoginShell> {
  const { shell, name, home } = user;
  if (shell === null || shell === '' || /\/(?:nologin|false)$/u.test(shell))
    throw new StartError(
      'cannot run',
      `"path": "login shell" is set, and ${name} has no login shell; remove it and write PATH in env`,
    );
  const mark = randomUUID();
  // `echo` and `printenv` mean the same to every shell; start-up files may say something before and after.
  const command = `echo ${mark}; printenv PATH; echo ${mark}`;
  const output = await run(
    shell,
    command,
    mark,
    { HOME: home, USER: name, LOGNAME: name, SHELL: shell },
    waitMs,
  );
  const path = output.split(mark)[1]?.trim() ?? '';
  if (path === '' || path.includes('\n')) throw silent(shell, 'did not tell its PATH');
  return { shell, path };
}

/** @returns what it said until it said the mark twice. */
function run(
  shell: string,
  command: string,
  mark: string,
  variables: Readonly<Record<string, string>>,
  waitMs: number,
): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(shell, ['-c', command], {
      // A name that begins with a dash is what makes a login shell: `bash(1)`, `zsh(1)`, `fish(1)`, `tcsh(1)`.
      argv0: `-${basename(shell)}`,
      cwd: '/',
      env: { ...variables, PATH: systemPath, TERM: 'dumb' },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let said = '';
    const over = (settle: () => void): void => {
      clearTimeout(late);
      child.stdout.destroy();
      end(child.pid);
      settle();
    };
    const late = setTimeout(
      () => over(() => failed(silent(shell, `did not tell its PATH within ${waitMs / 1000} s`))),
      waitMs,
    );
    child.on('error', ({ message }) => over(() => failed(silent(shell, `could not be run (${message})`))));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      // Not its end: something that it started may hold the pipe open.
      if (said.split(mark).length > 2) over(() => done(said));
      else if (said.length > largestOutput)
        over(() => failed(silent(shell, 'said too much before its PATH')));
    });
    child.on('close', () => over(() => done(said)));
  });
}

/** It leads a group of its own: what its start-up files left running in it ends with it. */
function end(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}

function silent(shell: string, what: string): StartError {
  return new StartError(
    'cannot run',
    `the login shell ${shell} ${what}; look at its start-up files, or remove "path" and write PATH in env`,
  );
}

function passwd(): { shell: string | null; name: string; home: string } {
  try {
    const { shell, username, homedir } = userInfo();
    return { shell, name: username, home: homedir };
  } catch {
    return { shell: null, name: `uid ${process.getuid?.() ?? -1}`, home: '/' };
  }
}
