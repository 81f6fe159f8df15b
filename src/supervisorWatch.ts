/** The supervisor's watch thread. */
import { parentPort } from 'node:worker_threads';
import { runWatch } from './supervisor/watchThread.ts';

if (parentPort === null) throw new Error('the watch runs as a thread of the supervisor');
runWatch(parentPort);
