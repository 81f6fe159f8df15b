/** The supervisor: launched by the shim, one per server run. Three threads, each this file in another role. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type ThreadRole, Threads } from './supervisor/threadPair.ts';

// Each role loads only its own rooms: a session's start waits for all three.
async function main(): Promise<void> {
  if (isMainThread) {
    // Before anything else: an unhandled SIGUSR1 would open Node's inspector to every process of this user.
    process.on('SIGUSR1', () => undefined);
    const threads = new Threads(__filename);
    const { superviseRun } = await import('./supervisor/main.ts');
    process.exit(await superviseRun(process.argv.slice(2), threads));
  }
  if (parentPort === null) throw new Error('a supervisor thread without a port');
  const { role } = workerData as { role: ThreadRole };
  if (role === 'watch') (await import('./supervisor/watchThread.ts')).runWatch(parentPort);
  else (await import('./supervisor/spawner.ts')).runSpawner(parentPort);
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`kinwatch: the supervisor failed: ${text}\n`);
  process.exit(3);
});
