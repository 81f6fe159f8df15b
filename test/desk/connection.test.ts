/** One connection: a peer that does not read is dropped, and cannot keep the desk from closing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { Connection } from '../../src/desk/connection.ts';
import { makePlaces, until } from './harness.ts';

/** A connection whose other end reads nothing. */
async function unread(
  t: TestContext,
): Promise<{ connection: Connection; events: string[]; server: () => Promise<void> }> {
  const { runtime, socket: path } = makePlaces(t);
  mkdirSync(runtime, { recursive: true });
  const server = createServer();
  server.listen(path);
  await once(server, 'listening');
  const peer = createConnection(path);
  peer.on('error', () => undefined);
  t.after(() => peer.destroy());
  const [socket] = (await once(server, 'connection')) as [Socket];
  const events: string[] = [];
  const connection = new Connection(socket, {
    message: () => events.push('message'),
    malformed: (reason) => events.push(reason),
    closed: () => events.push('closed'),
  });
  return { connection, events, server: () => new Promise((resolve) => server.close(() => resolve())) };
}

test('a peer that leaves more than 8 MiB unread is dropped', async (t) => {
  const { connection, events, server } = await unread(t);
  const text = 'x'.repeat(1024 * 1024);
  let sent = 0;
  while (events.length === 0 && sent < 20) {
    connection.send({ kind: 'snapshot', text } as { kind: string });
    sent += 1;
  }
  assert.deepEqual(events, ['closed']);
  assert.ok(sent > 8, 'not before');
  await server();
});

test('one message of any size is sent', async (t) => {
  const { connection, events, server } = await unread(t);
  connection.send({ kind: 'snapshot', text: 'x'.repeat(20 * 1024 * 1024) } as { kind: string });
  assert.deepEqual(events, []);
  connection.close();
  await server();
});

test('a refused peer that neither reads nor closes is let go', async (t) => {
  const { connection, events, server } = await unread(t);
  connection.send({ kind: 'snapshot', text: 'x'.repeat(1024 * 1024) } as { kind: string });
  connection.refuse('no');
  assert.deepEqual(events, ['closed']);
  await server();
  await until('closed once', () => events.length === 1);
});
