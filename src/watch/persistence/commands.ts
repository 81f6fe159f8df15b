/** Places that only a program of the system can read: the user's crontab (crontab(1)) and at jobs (atq(1)). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { digestOf, type Entry } from './entry.ts';
import type { Place } from './places.ts';

const timeoutMs = 500;
const maxOutputBytes = 256 * 1024;
const directories = ['/usr/bin', '/bin'];

export interface CommandPlace {
  readonly place: Place;
  readonly read: CommandRead;
}

export interface CommandRead {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  /** Cuts the output into things with a name of their own. */
  readonly parts: (output: string) => readonly (readonly [name: string, text: string])[];
  /** What it says, with a failure, when there is nothing. */
  readonly nothing: RegExp;
}

export type CommandOutcome =
  | { readonly kind: 'read'; entries(place: Place): (readonly [string, Entry])[] }
  | { readonly kind: 'failed'; readonly reason: string };

const crontab: Omit<CommandRead, 'file'> = {
  args: ['-l'],
  parts: (output) => (output.trim() === '' ? [] : [['crontab -l', output]]),
  nothing: /no crontab for/u,
};

const jobs: Omit<CommandRead, 'file'> = {
  args: [],
  parts: (output) =>
    output
      .split('\n')
      .filter((line) => /^\d+\s/u.test(line))
      .map((line) => [`at job ${line.split(/\s/u, 1)[0] ?? ''}`, line]),
  nothing: /^$/u,
};

/**
 * Of the programs that are installed. Only where nobody but root can put a program.
 *
 * @param where for tests.
 */
export function installedCommands(where: readonly string[] = directories): CommandPlace[] {
  const found = (name: string): string | undefined =>
    where.map((directory) => `${directory}/${name}`).find((path) => existsSync(path));
  const place = (what: 'crontab' | 'at job', path: string): Place => ({ what, path, depth: 0 });
  const [crontabFile, atqFile] = [found('crontab'), found('atq')];
  return [
    ...(crontabFile === undefined
      ? []
      : [{ place: place('crontab', 'crontab -l'), read: { ...crontab, file: crontabFile } }]),
    ...(atqFile === undefined ? [] : [{ place: place('at job', 'atq'), read: { ...jobs, file: atqFile } }]),
  ];
}

export async function readCommandPlace(read: CommandRead): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    execFile(
      read.file,
      [...read.args],
      {
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxOutputBytes,
        env: { PATH: directories.join(':'), LC_ALL: 'C' },
      },
      (error, stdout, stderr) => {
        if (error !== null && !read.nothing.test(stderr)) {
          const said = stderr.split('\n', 1)[0] ?? '';
          resolve({
            kind: 'failed',
            reason: error.killed === true ? 'it did not answer' : said || error.message,
          });
          return;
        }
        resolve({
          kind: 'read',
          entries: (place) =>
            read.parts(error === null ? stdout : '').map(([name, text]) => [name, textEntry(place, text)]),
        });
      },
    );
  });
}

function textEntry(place: Place, text: string): Entry {
  const bytes = Buffer.from(text);
  return {
    place,
    kind: 'text',
    sizeBytes: bytes.length,
    mode: 0,
    inode: 0n,
    modifiedNs: 0n,
    changedNs: 0n,
    digest: digestOf(bytes),
  };
}
