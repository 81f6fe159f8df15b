/**
 * The supervisor: launched by the shim, one per server run. Three threads, each a bundle of its own
 * (`supervisorWatch.ts`, `supervisorSpawner.ts`): a session's start waits for all three to load. This file starts the
 * other two before it loads what the main thread does.
 */
import { join } from 'node:path';
import { Threads } from './supervisor/threadPair.ts';

async function main(): Promise<void> {
  // Before anything else: an unhandled SIGUSR1 would open Node's inspector to every process of this user.
  process.on('SIGUSR1', () => undefined);
  const threads = new Threads({
    watch: join(__dirname, 'supervisorWatch.js'),
    spawner: join(__dirname, 'supervisorSpawner.js'),
  });
  // Loaded while the threads start.
  const { superviseToExit } = await import('./supervisor/main.ts');
  await superviseToExit(process.argv.slice(2), threads);
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`kinwatch: the supervisor failed: ${text}\n`);
  process.exit(3);
});
