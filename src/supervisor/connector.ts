/** A connector thread: one system call at a time, which may block it. */
import type { MessagePort } from 'node:worker_threads';
import { type CallResult, connectSocket, sendDatagram } from '../kernel/sockets.ts';
import type { ConnectorTask } from './connectors.ts';

export function runConnector(port: MessagePort): void {
  port.on('message', (task: ConnectorTask) => port.postMessage(perform(task)));
}

function perform(task: ConnectorTask): CallResult {
  if (task.kind === 'connect') return connectSocket(task.fd, own(task.address));
  const { address, payload, control, flags } = task.datagram;
  return sendDatagram(task.fd, {
    address: own(address),
    payload: own(payload),
    control: own(control),
    flags,
  });
}

/** Buffers cross threads as plain arrays of a memory that may be larger than they are. */
function own(bytes: Uint8Array): Buffer {
  const copy = Buffer.alloc(bytes.length);
  copy.set(bytes);
  return copy;
}
