/** Everything that is known before a person is asked: command, files, environment, client. */
import type { StartFacts } from '../core/facts.ts';
import { passwdEntry } from '../protocol/places.ts';
import { readCwd } from '../watch/proc.ts';
import { programFacts, type ProgramLook } from '../watch/program.ts';
import type { Launch } from './client.ts';
import type { RunRequest } from './commandLine.ts';
import { defaultEndTimes, type EndTimes } from './endTimes.ts';
import { checkCwd, resolveCommand } from './resolve.ts';
import { startEnvironment } from './startEnvironment.ts';

export interface StartPlan {
  readonly facts: StartFacts;
  /** Given to the kernel. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** What the kernel starts first. */
  readonly first: ProgramLook;
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
    ...(request.network === 'none' ? { network: 'none' } : {}),
  };
  return {
    facts,
    path: resolved.path,
    argv,
    variables,
    first: resolved.first,
    program: resolved.program,
    localOnly: request.network === 'none',
    endTimes: request.endTimes ?? defaultEndTimes,
  };
}
