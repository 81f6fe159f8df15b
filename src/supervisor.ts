/** The supervisor: launched by the shim, one per server run. Three threads, each this file in another role. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { superviseRun } from './supervisor/main.ts';
import { runSpawner } from './supervisor/spawner.ts';
import type { ThreadRole } from './supervisor/threadPair.ts';
import { runWatch } from './supervisor/watchThread.ts';

if (isMainThread) {
  void superviseRun(process.argv.slice(2), __filename).then((exitCode) => process.exit(exitCode));
} else if (parentPort !== null) {
  const { role } = workerData as { role: ThreadRole };
  if (role === 'watch') runWatch(parentPort);
  else runSpawner(parentPort);
}
