/** `lsof(8)`, where it is installed: more about open files than `/proc` alone says, such as what a socket leads to. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Only where nobody but root can put a program. */
const places = ['/usr/bin/lsof', '/bin/lsof', '/usr/sbin/lsof'];
const maxOutputBytes = 1024 * 1024;
/** An argument vector has its limits, and so has the time. */
const mostProcesses = 500;

/** Node's code for more than `maxBuffer`; a program that ended before it could be killed is not `killed`. */
const tooMuch = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';

/** Rejects when it is late, says too much or says nothing. */
export type Lsof = (pids: readonly number[], timeoutMs: number) => Promise<string>;

/**
 * @param where for tests.
 * @returns undefined where it is not installed.
 */
export function installedLsof(where: readonly string[] = places): Lsof | undefined {
  const file = where.find((path) => existsSync(path));
  return file === undefined ? undefined : (pids, timeoutMs) => run(file, pids, timeoutMs);
}

function run(file: string, pids: readonly number[], timeoutMs: number): Promise<string> {
  // Names and numbers as they are: no look-up of hosts, ports or mount points, which could wait for a network.
  const args = ['-w', '-n', '-P', '-b', '-p', pids.slice(0, mostProcesses).join(',')];
  return new Promise((resolve, reject) => {
    execFile(
      file,
      args,
      {
        timeout: Math.max(1, Math.round(timeoutMs)),
        killSignal: 'SIGKILL',
        maxBuffer: maxOutputBytes,
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      },
      (error, stdout) => {
        // It fails when one of several processes could not be listed, and lists the others.
        const isCut = error?.killed === true || error?.code === tooMuch;
        if (isCut || (error !== null && stdout === '')) {
          reject(new Error(isCut ? 'lsof took too long or said too much' : 'lsof failed'));
          return;
        }
        const left = pids.length - mostProcesses;
        resolve(left > 0 ? `${stdout}${left} more processes were not asked about\n` : stdout);
      },
    );
  });
}
