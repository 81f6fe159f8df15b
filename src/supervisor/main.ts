/** What the supervisor's main thread does, in order. */
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { signals } from '../kernel/numbers.ts';
import { becomeSubreaper, exitNow, hardenProcess, signalOnParentDeath } from '../kernel/process.ts';
import { type Places, placesOfUser, PlacesError } from '../protocol/places.ts';
import { readLaunch } from './client.ts';
import { parseRun } from './commandLine.ts';
import { messages } from './messages.ts';
import { planStart, type StartPlan } from './plan.ts';
import { Relay } from './relay/relay.ts';
import { Session, type SessionStreams } from './session.ts';
import { StartError } from './startError.ts';
import { clientStreams } from './streams.ts';
import type { Threads } from './threadPair.ts';

const refuseWaitMs = 1000;

/** {@link superviseRun}, and this process's end with its exit code. */
export async function superviseToExit(argv: readonly string[], threads: Threads): Promise<never> {
  return exitNow(await superviseRun(argv, threads));
}

/**
 * @param argv what stands behind `kinwatch run`.
 * @param threads started already, silent until the session begins.
 * @returns the exit code (DESIGN §7), or the server's own.
 */
async function superviseRun(argv: readonly string[], threads: Threads): Promise<number> {
  hardenProcess();
  becomeSubreaper();
  const shimPid = Number(process.env['KINWATCH_SHIM'] ?? process.ppid);
  signalOnParentDeath(signals.SIGTERM);
  const streams = clientStreams();
  let plan: StartPlan;
  let places: Places;
  try {
    places = placesOfUser(process.env['KINWATCH_HOME']);
    checkWatcher(process.env['KINWATCH_WATCHER']);
    const launch = readLaunch(shimPid);
    const request = await parseRun(argv, places.serversFile, launch.environment);
    plan = await planStart(request, launch, overridesOf(places));
  } catch (error) {
    return refuseEarly(error, streams, threads);
  }
  const session = new Session(plan, shimPid, places, streams, threads);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => session.stop(messages.clientSignal(signal)));
  }
  // The shim may have died before its death could be a signal.
  if (process.ppid !== shimPid) session.stop(messages.clientGone);
  return session.supervise();
}

/** What of Kinwatch's own variables is in force: shown on the card and with the session. */
function overridesOf(places: Places): string[] {
  const watcher = process.env['KINWATCH_WATCHER'];
  return [
    ...(places.override === undefined ? [] : [`KINWATCH_HOME=${places.override}`]),
    ...(watcher === undefined || watcher === '' ? [] : [`KINWATCH_WATCHER=${watcher}`]),
  ];
}

function checkWatcher(value: string | undefined): void {
  if (value === undefined || value === '' || value === 'seccomp') return;
  throw new StartError(
    'cannot run',
    value === 'portable' ? messages.portable : messages.unknownWatcher(value),
  );
}

/** The command cannot be launched. A client hears it as the answer to its first request, a person on stderr. */
async function refuseEarly(error: unknown, streams: SessionStreams, threads: Threads): Promise<number> {
  if (!(error instanceof StartError) && !(error instanceof PlacesError)) throw error;
  const exitCode = error instanceof StartError ? error.exitCode : 3;
  streams.log.write(`${messages.prefix}${error.message}\n`);
  const left = threads.leave();
  if (exitCode === 2 || isatty(0)) {
    await left;
    return exitCode;
  }
  const events = { request() {}, result() {}, claims() {}, initialized() {}, clientEnded() {}, fault() {} };
  const relay = new Relay({ clientIn: streams.clientIn, clientOut: streams.clientOut, events });
  await Promise.race([relay.refuse(error.message), delay(refuseWaitMs, undefined, { ref: false })]);
  await left;
  return exitCode;
}
