/** The real filesystem server and the SDK's client, with the relay between them on real pipes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Relay, type Outcome } from '../../../src/supervisor/relay/relay.ts';

const manifest = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/package.json',
);
const serverFile = join(dirname(manifest), 'dist/index.js');

/** The SDK's framing over a pair of streams instead of a child's. */
function transportOver(input: PassThrough, output: PassThrough): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      output.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
          transport.onmessage?.(message);
        }
      });
    },
    async send(message) {
      input.write(serializeMessage(message));
    },
    async close() {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}

test(
  'the filesystem server behind the relay: list, read, write, deny, end',
  { timeout: 30_000 },
  async (t) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'kinwatch-relay-')));
    t.after(() => rm(folder, { recursive: true }));
    const text = '読 a\u2028b '.repeat(100_000);
    await writeFile(join(folder, 'large.txt'), text);
    const clientIn = new PassThrough();
    const clientOut = new PassThrough();
    const asked: { number: number; tool: string | undefined }[] = [];
    const outcomes: [number, Outcome][] = [];
    const faults: string[] = [];
    let clientEnded: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (clientEnded = resolve));
    let initialized = false;
    const relay: Relay = new Relay({
      clientIn,
      clientOut,
      events: {
        request: ({ number, tool }) => {
          asked.push({ number, tool });
          if (tool === 'list_directory') relay.markDenied(number, 'Kinwatch denied: test');
        },
        result: (number, outcome) => outcomes.push([number, outcome]),
        claims: (name) => assert.equal(name, 'relay-test'),
        initialized: () => (initialized = true),
        clientEnded,
        fault: (fault) => faults.push(fault),
      },
    });
    const client = new Client({ name: 'relay-test', version: '1' });
    const connected = client.connect(transportOver(clientIn, clientOut));
    // The client speaks first: its initialize waits for the server.
    const server = spawn(process.execPath, [serverFile, folder], { stdio: ['pipe', 'pipe', 'ignore'] });
    const exited = new Promise<number | null>((resolve) => server.once('exit', resolve));
    relay.attach(server.stdin, server.stdout);
    await connected;
    assert.ok(initialized);

    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'read_text_file'));
    const read = await client.callTool({
      name: 'read_text_file',
      arguments: { path: join(folder, 'large.txt') },
    });
    assert.deepEqual(read['content'], [{ type: 'text', text }]);
    const written = await client.callTool({
      name: 'write_file',
      arguments: { path: join(folder, 'b.txt'), content: text },
    });
    assert.notEqual(written['isError'], true);
    const listed = await client.callTool({ name: 'list_directory', arguments: { path: folder } });
    assert.equal(listed['isError'], true);
    const [first, second] = listed['content'] as { text: string }[];
    assert.equal(first?.text, 'Kinwatch denied: test');
    assert.match(second?.text ?? '', /large\.txt/);
    const release = relay.hold([]);
    await client.ping();
    release();
    await client.ping();

    await client.close();
    await ended;
    relay.endServerInput();
    const status = await exited;
    await relay.serverEnded(`exit code ${status}`, '');
    assert.deepEqual(
      asked.map(({ tool }) => tool),
      [undefined, undefined, 'read_text_file', 'write_file', 'list_directory'],
    );
    assert.deepEqual(outcomes.at(-1), [5, 'marked denied']);
    assert.deepEqual(faults, []);
  },
);
