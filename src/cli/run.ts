/**
 * `run` without a shell: the same as `src/shim/kinwatch.sh` does, in Node. It starts the supervisor in a
 * session of its own on the same stdio, waits and returns its status.
 *
 * Invariant: stdin is never read here; it belongs to the supervisor.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { messages } from './messages.ts';
import { CommandError, type ExitCode, type Installation, ownEnvironment } from './outcome.ts';

const forwarded = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** @param args everything behind `run`; the supervisor reads it. */
export async function run(args: readonly string[], installation: Installation): Promise<ExitCode> {
  if (args.length === 0) throw new CommandError('usage', messages.noRunArguments);
  // The supervisor asks for a desk by this signal: started by it, the desk would be adopted into the family.
  // Listening also keeps the signal from opening Node's inspector.
  process.on('SIGUSR1', () => {
    spawnDeskStarter(installation);
  });
  const supervisor = spawn(installation.node, [join(installation.dist, 'supervisor.js'), ...args], {
    detached: true,
    stdio: 'inherit',
    env: { ...ownEnvironment(installation, process.env), KINWATCH_SHIM: String(process.pid) },
  });
  for (const signal of forwarded) process.on(signal, () => supervisor.kill(signal));
  return new Promise((resolve, reject) => {
    supervisor.once('error', (error) => {
      reject(new CommandError('could not run', messages.noSupervisor(error.message), { cause: error }));
    });
    supervisor.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** `kinwatch desk` as a process between, so that the desk is nobody's child when that has ended. */
function spawnDeskStarter(installation: Installation): void {
  const starter = spawn(installation.node, [join(installation.dist, 'cli.js'), 'desk'], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
    env: ownEnvironment(installation, process.env),
  });
  starter.on('error', () => {
    // The supervisor waits for the desk by its socket and says that none came.
  });
}
