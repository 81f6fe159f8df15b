/** What the server's environment will be: the variables, and the start log's words about them. */
import { dirname } from 'node:path';
import type { StartFacts } from '../core/facts.ts';
import { familyEnvironment } from '../core/policy/environment.ts';
import { redact } from '../core/redaction/redact.ts';
import type { RunRequest } from './commandLine.ts';
import { hostWords } from './host.ts';
import { type LoginShell, loginShell } from './loginShell.ts';
import type { Lookup } from './resolve.ts';
import { searchPath } from './searchPath.ts';

export interface StartEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly lookup: Lookup;
  /** Of the folders on disk: read while other files are. */
  readonly facts: Promise<StartFacts['environment']>;
}

/** @throws StartError when the login shell was asked for and does not tell its PATH. */
export async function startEnvironment(
  request: RunRequest,
  client: ReadonlyMap<string, string>,
  cwd: string,
  readShell: () => Promise<LoginShell> = loginShell,
): Promise<StartEnvironment> {
  const shell = request.path === undefined ? undefined : await readShell();
  const inherited = shell === undefined ? client : new Map([...client, ['PATH', shell.path]]);
  const { variables, ...names } = familyEnvironment(inherited, request.env);
  const path = variables['PATH'];
  const pathFrom =
    shell !== undefined
      ? `the login shell ${shell.shell}`
      : Object.hasOwn(request.env, 'PATH')
        ? 'the configuration'
        : 'the client';
  const isNamed = request.source !== 'command line';
  return {
    variables,
    lookup: {
      cwd,
      path,
      host: hostWords(client.get('WSL_DISTRO_NAME')),
      nextStep: nextStep(request, shell?.shell),
      // A server of a file means the same wherever its client was started.
      ...(isNamed && request.cwd === undefined
        ? { base: { folder: dirname(request.source), what: 'the folder of servers.jsonc' } }
        : {}),
    },
    facts: facts(names, variables, pathFrom, cwd),
  };
}

async function facts(
  names: Omit<ReturnType<typeof familyEnvironment>, 'variables'>,
  variables: Readonly<Record<string, string>>,
  pathFrom: string,
  cwd: string,
): Promise<StartFacts['environment']> {
  const path = variables['PATH'] ?? '';
  return {
    ...names,
    path: redact(path),
    pathFrom,
    search: (await searchPath(path, cwd)).map((entry) => ({
      ...entry,
      entry: redact(entry.entry),
      directory: redact(entry.directory),
    })),
    home: variables['HOME'] ?? '',
    tmpdir: variables['TMPDIR'] ?? '',
  };
}

/** What to do when the command is not in PATH. */
function nextStep({ server, source, env }: RunRequest, shell: string | undefined): string {
  if (shell !== undefined)
    return `That is the PATH of your login shell, ${shell}. Write the command’s absolute path, or install it there.`;
  if (Object.hasOwn(env, 'PATH'))
    return 'That is the PATH of the configuration. Correct it, or write the command’s absolute path.';
  const how =
    source === 'command line'
      ? 'put --path "login shell" behind kinwatch run'
      : `add "path": "login shell" to servers.${server} in ${source}`;
  return (
    'That is the PATH of the client; an editor started from the desktop often has a short one. ' +
    `If a terminal finds the command, ${how}: your login shell’s PATH is used then. ` +
    'Or write its absolute path, or install it there.'
  );
}
