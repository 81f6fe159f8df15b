/** `kinwatch doctor`: what this machine can hold, observe and sample, and why. A process of its own tries it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { visibleText } from '../core/consequence/visible.ts';
import { doctorReport, type DoctorReport } from '../protocol/doctor.ts';
import { messages } from './messages.ts';
import {
  CommandError,
  exit,
  type ExitCode,
  type Installation,
  type Output,
  ownEnvironment,
} from './outcome.ts';

/** Longer than everything that it waits for by itself. */
const timeoutMs = 60_000;
const maxOutputBytes = 1024 * 1024;

/** Exit status 0 only when programs can be held. */
export async function doctor(json: boolean, installation: Installation, output: Output): Promise<ExitCode> {
  const report = readReport(await runDoctor(installation));
  output.out(json ? `${JSON.stringify(report, undefined, 2)}\n` : doctorText(report));
  return report.level === 'none' ? exit.doesNotHold : exit.done;
}

/** One line a check, and what it comes to. */
export function doctorText({ checks, level }: DoctorReport): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(
    ({ name, state, text }) =>
      `${name.padEnd(width)}  ${state.padEnd('partly'.length)}  ${visibleText(text)}`,
  );
  return `${[...lines, '', messages.doctorLevel[level]].join('\n')}\n`;
}

function runDoctor(installation: Installation): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      installation.node,
      [join(installation.dist, 'doctor.js')],
      {
        cwd: '/',
        env: ownEnvironment(installation, process.env),
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxOutputBytes,
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const said = stderr.trim().split('\n', 1)[0] ?? '';
        const reason = said === '' ? error.message : said.replace(/^kinwatch doctor: /u, '');
        reject(new CommandError('could not run', messages.doctorFailed(reason), { cause: error }));
      },
    );
  });
}

function readReport(text: string): DoctorReport {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError('could not run', messages.doctorFailed('it said nothing that is a report'), {
      cause: error,
    });
  }
  const parsed = doctorReport.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CommandError('could not run', messages.doctorFailed('its report is of another version'));
}
