/** Everything that is known before a person is asked: command, files, environment, client. */
import type { StartFacts } from '../core/facts.ts';
import { passwdEntry } from '../protocol/places.ts';
import { readCwd } from '../watch/proc.ts';
import { programFacts, type ProgramLook } from '../watch/program.ts';
import type { Launch } from './client.ts';
import type { RunRequest } from './commandLine.ts';
import { defaultEndTimes, type EndTimes } from './endTimes.ts';
import { messages } from './messages.ts';
import { type Launchers, namespaceLaunchers } from './processNamespace.ts';
import { checkCwd, type ResolvedCommand, resolveCommand } from './resolve.ts';
import { startEnvironment } from './startEnvironment.ts';
import { StartError } from './startError.ts';

export interface StartPlan {
  readonly facts: StartFacts;
  /** Given to the kernel. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** What the kernel starts first. */
  readonly first: ProgramLook;
  /** What stands between that and the program, in the order in which it runs. Mostly empty. */
  readonly between: readonly ProgramLook[];
  /** Everything on the start card: approved with it. */
  readonly program: ProgramLook;
  /** No socket of IP at all. */
  readonly localOnly: boolean;
  readonly endTimes: EndTimes;
}

/** @throws StartError when it cannot be launched. */
export async function planStart(
  request: RunRequest,
  launch: Launch,
  overrides: readonly string[],
): Promise<StartPlan> {
  const cwd = request.cwd ?? readCwd(launch.shimPid) ?? '/';
  checkCwd(cwd);
  const environment = await startEnvironment(request, launch.environment, cwd);
  const { variables, lookup } = environment;
  const resolved = resolveCommand(request.command, request.args, lookup);
  const argv = [request.command, ...request.args];
  const launchers = await launchersOf(request);
  const facts: StartFacts = {
    server: request.server,
    source: request.source,
    user: passwdEntry().name ?? `uid ${process.getuid?.() ?? -1}`,
    host: lookup.host,
    command: request.command,
    argv,
    resolution: resolved.resolution,
    program: await programFacts(resolved.program),
    cwd,
    environment: await environment.facts,
    client: launch.client,
    overrides,
    ...(launchers === undefined ? {} : { launchers: launchers.words }),
    ...(request.network === 'none' ? { network: 'none' } : {}),
  };
  return {
    facts,
    ...launchedBy(launchers, resolved, argv),
    variables,
    program: resolved.program,
    localOnly: request.network === 'none',
    endTimes: request.endTimes ?? defaultEndTimes,
  };
}

/** @throws StartError where this machine does not permit them. */
async function launchersOf({ isolation, server, source }: RunRequest): Promise<Launchers | undefined> {
  if (isolation === undefined) return undefined;
  const result = await namespaceLaunchers();
  if (result.kind === 'permitted') return result.launchers;
  throw new StartError('cannot run', messages.noNamespace(server, source, result.reason));
}

function launchedBy(
  launchers: Launchers | undefined,
  resolved: ResolvedCommand,
  argv: readonly string[],
): Pick<StartPlan, 'path' | 'argv' | 'first' | 'between'> {
  if (launchers === undefined) return { path: resolved.path, argv, first: resolved.first, between: [] };
  const { path, words, programs } = launchers;
  return {
    path,
    // The name was looked up already: they must not do it again, with another result.
    argv: [...words, resolved.path, ...argv.slice(1)],
    first: programs[0],
    between: [programs[1], resolved.first],
  };
}
