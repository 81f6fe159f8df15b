/** A thread of the supervisor that performs what may block: started when a member's call needs one. */
import { parentPort } from 'node:worker_threads';
import { runConnector } from './supervisor/connector.ts';

if (parentPort === null) throw new Error('a connector runs as a thread of the supervisor');
runConnector(parentPort);
