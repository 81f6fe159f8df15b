/** The supervisor's filtered thread. */
import { parentPort } from 'node:worker_threads';
import { runSpawner } from './supervisor/spawner.ts';

if (parentPort === null) throw new Error('the spawner runs as a thread of the supervisor');
runSpawner(parentPort);
