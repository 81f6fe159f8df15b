/** How a command ends: DESIGN §7. */

/** 0 done, 1 the thing checked does not hold, 2 usage, 3 could not run. `run` returns the server's own. */
export type ExitCode = number;

export const exit = { done: 0, doesNotHold: 1, usage: 2, couldNotRun: 3 } as const;

/** A command could not do what it was asked; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    readonly code: 'usage' | 'could not run',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What a command writes to. Results go to `out`, everything else to `err`. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** Where this installation lies and how it runs scripts. */
export interface Installation {
  /** Absolute path of `dist/`. */
  readonly dist: string;
  readonly node: string;
  /** True when `node` is an Electron program. */
  readonly electron: boolean;
}

/** The only variables that Kinwatch's own processes are given (THREATS 13). */
export function ownEnvironment(
  installation: Installation,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const own: Record<string, string> = installation.electron ? { ELECTRON_RUN_AS_NODE: '1' } : {};
  for (const name of ['KINWATCH_HOME', 'KINWATCH_WATCHER']) {
    const value = environment[name];
    if (value !== undefined && value !== '') own[name] = value;
  }
  return own;
}
