/** The supervisor's watch thread. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { runWatch } from './supervisor/watchThread.ts';

if (parentPort === null) throw new Error('the watch runs as a thread of the supervisor');
runWatch(parentPort, workerData as MessagePort);
