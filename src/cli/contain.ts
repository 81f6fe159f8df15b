/** `kinwatch contain`: evidence, then the end of a whole family, then its certificate. */
import { setTimeout as delay } from 'node:timers/promises';
import { stayedBehind } from '../core/consequence/stayedBehind.ts';
import { visibleText } from '../core/consequence/visible.ts';
import type { Certificate } from '../protocol/desk.ts';
import { messages } from './messages.ts';
import { Operator } from './operator.ts';
import { CommandError, exit, type ExitCode, type Output } from './outcome.ts';

/** Longer than the desk waits for a supervisor before it ends the family itself. */
const certificateTimeoutMs = 60_000;
const lookMs = 1000;

export interface ContainWhat {
  /** Undefined: every session. */
  readonly session: string | undefined;
  readonly json: boolean;
}

/** Exit status 0 only when every certificate has zero survivors, proved. */
export async function contain(socket: string, what: ContainWhat, output: Output): Promise<ExitCode> {
  const operator = await Operator.connect(socket);
  const known = operator === null ? [] : (await operator.sessions()).map(({ session }) => session);
  try {
    if (what.session !== undefined && !known.includes(what.session)) {
      throw new CommandError('could not run', messages.unknownSession(what.session, known));
    }
    const wanted = what.session === undefined ? known : [what.session];
    if (operator === null || wanted.length === 0) {
      if (what.json) output.out(`${JSON.stringify({ certificates: [] })}\n`);
      output.err(`${messages.prefix}${messages.nothingRuns}\n`);
      return exit.done;
    }
    return await containEach(operator, wanted, what, output);
  } finally {
    operator?.close();
  }
}

async function containEach(
  operator: Operator,
  wanted: readonly string[],
  what: ContainWhat,
  output: Output,
): Promise<ExitCode> {
  const results = await Promise.allSettled(wanted.map((session) => containOne(operator, session)));
  const certificates: Certificate[] = [];
  let isHeld = true;
  for (const result of results) {
    if (result.status === 'fulfilled') {
      certificates.push(result.value);
      isHeld &&= result.value.proved && result.value.survivors === 0;
    } else {
      isHeld = false;
      output.err(`${messages.prefix}${reasonOf(result.reason)}\n`);
    }
  }
  if (certificates.length === 0) return exit.couldNotRun;
  const [only] = certificates;
  const document = what.session === undefined ? { certificates } : only;
  if (what.json) output.out(`${JSON.stringify(document, undefined, 2)}\n`);
  else output.out(certificates.map(certificateText).join('\n'));
  return isHeld ? exit.done : exit.doesNotHold;
}

async function containOne(operator: Operator, session: string): Promise<Certificate> {
  const certificate = operator.next(
    (message) =>
      message.kind === 'certificate' && message.certificate.session === session
        ? message.certificate
        : undefined,
    session,
  );
  operator.send({ kind: 'contain', session });
  const until = performance.now() + certificateTimeoutMs;
  let isGone = false;
  while (performance.now() < until) {
    const first = await Promise.race([certificate, delay(lookMs, undefined, { ref: false })]);
    if (first !== undefined) return first;
    // A session whose server never started may end without a certificate. One look more, it may be on its way.
    const isListed = (await operator.sessions()).some((other) => other.session === session);
    if (!isListed && isGone) throw new CommandError('could not run', messages.endedWithout(session));
    isGone = !isListed;
  }
  throw new CommandError('could not run', messages.containTimeout(session));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The certificate for reading; `--json` has all of it. */
export function certificateText(certificate: Certificate): string {
  const { session, survivors, proved, signalled, outside, evidence, gaps, persistence, durationMs } =
    certificate;
  const lines = [
    `session: ${session}`,
    `survivors: ${survivors}${proved ? ', proved' : ', not proved'}`,
    `ended: ${signalled.length}`,
    ...signalled.map(
      ({ pid, command, signals }) =>
        `  ${pid}  ${visibleText(command)}  ${signals.map(({ signal }) => signal).join(', ')}`,
    ),
    ...outside.map((name) => `not reached: ${visibleText(name)}`),
    `evidence: ${evidence === null ? 'none' : `${evidence.folder} (${evidence.manifest})`}`,
    ...stayedBehind(persistence ?? []).flatMap(({ words, paths }) => [
      `stayed behind: ${words}`,
      ...paths.map((path) => `  ${visibleText(path)}`),
    ]),
    ...gaps.map((gap) => `gap: ${visibleText(gap)}`),
    `took: ${Math.round(durationMs)} ms`,
  ];
  return `${lines.join('\n')}\n`;
}
