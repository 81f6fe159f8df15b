/**
 * The filtered thread: it enters the Landlock domain and installs the filter on itself only, then launches the
 * server with Node's ordinary spawn, which inherits both. Nothing else ever runs on this thread.
 */
import { spawn } from 'node:child_process';
import type { MessagePort } from 'node:worker_threads';
import { familyFilter } from '../kernel/familyFilter.ts';
import { installFilter, setNoNewPrivileges } from '../kernel/filter.ts';
import { enterDomain } from '../kernel/landlock.ts';
import { KernelError } from '../kernel/libc.ts';
import { architectureKnown, errnos } from '../kernel/numbers.ts';
import type { FromSpawner, SpawnPlan, ToSpawner } from './threads.ts';

export function runSpawner(port: MessagePort): void {
  const say = (message: FromSpawner): void => port.postMessage(message);
  port.on('message', (message: ToSpawner) => {
    switch (message.kind) {
      case 'enter':
        return say(enterFilter(message.localOnly));
      case 'spawn':
        return launch(message.plan, say);
      case 'leave':
        return port.close();
    }
  });
}

function enterFilter(localOnly: boolean): FromSpawner {
  if (process.platform !== 'linux' || !architectureKnown) {
    return {
      kind: 'unable',
      reason: `holding programs needs Linux on x64 or arm64; this is ${process.platform} on ${process.arch}`,
    };
  }
  try {
    setNoNewPrivileges();
    const domain = enterDomain();
    return { kind: 'filtered', listenerFd: installFilter(familyFilter(localOnly)), domain };
  } catch (error) {
    return { kind: 'unable', reason: explain(error) };
  }
}

function explain(error: unknown): string {
  if (!(error instanceof KernelError)) return String(error);
  if (error.code === errnos.EBUSY) {
    return 'another supervisor already listens to this process’s programs (Kinwatch under Kinwatch, or a container manager such as LXD); start the server outside it';
  }
  if (error.code === errnos.EINVAL || error.code === errnos.ENOSYS) {
    return `this kernel cannot hold programs (${error.message}); Linux 5.19 or newer is needed`;
  }
  return `${error.message}; a container’s security profile may forbid it`;
}

function launch(plan: SpawnPlan, say: (message: FromSpawner) => void): void {
  try {
    const child = spawn(plan.path, plan.argv.slice(1), {
      argv0: plan.argv[0] ?? plan.path,
      cwd: plan.cwd,
      env: plan.environment,
      stdio: [...plan.stdio],
      detached: true,
    });
    child.once('error', (error) => say({ kind: 'spawn failed', reason: error.message }));
    child.once('exit', (code, signal) => say({ kind: 'exited', code, signal }));
    if (child.pid !== undefined) say({ kind: 'spawned', pid: child.pid });
  } catch (error) {
    say({ kind: 'spawn failed', reason: error instanceof Error ? error.message : String(error) });
  }
}
