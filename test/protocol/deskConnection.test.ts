import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { FromDesk } from '../../src/protocol/desk.ts';
import {
  connectDesk,
  connectOrStartDesk,
  type DeskConnection,
  type DeskError,
  startDesk,
} from '../../src/protocol/deskConnection.ts';

const folder = (t: TestContext): string => {
  const path = mkdtempSync(join(tmpdir(), 'kw-'));
  t.after(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
};

/** A desk that answers the first line with `reply`. */
async function desk(
  t: TestContext,
  reply: string,
): Promise<{ path: string; lines: string[]; peers: Socket[] }> {
  const path = join(folder(t), 'desk.sock');
  const lines: string[] = [];
  const peers: Socket[] = [];
  const server = createServer((socket) => {
    peers.push(socket);
    socket.on('error', () => {
      // The client may go first; that is what some tests do.
    });
    socket.on('data', (chunk) => {
      if (lines.length === 0) socket.write(reply);
      lines.push(...chunk.toString().trim().split('\n'));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  t.after(() => {
    for (const peer of peers) peer.destroy();
    server.close();
  });
  return { path, lines, peers };
}

const welcome = '{"kind":"welcome","protocol":1,"enrolled":"known"}\n';
const ignore = { message: (): void => undefined, closed: (): void => undefined };
const hello = { role: 'reviewer', token: 't' } as const;
const fails = async (promise: Promise<unknown>, code: string, text: RegExp): Promise<void> => {
  await assert.rejects(promise, (error: DeskError) => {
    assert.equal(error.code, code);
    assert.match(error.message, text);
    return true;
  });
};

test('says hello, is welcomed, hears messages that came with the welcome', async (t) => {
  const { path, lines } = await desk(t, `${welcome}{"kind":"snapshot","sessions":[],"questions":[]}\n`);
  const heard: FromDesk[] = [];
  const connection = await connectDesk(path, hello, { ...ignore, message: (message) => heard.push(message) });
  assert.equal(connection.enrolled, 'known');
  assert.deepEqual(JSON.parse(lines[0] ?? ''), { kind: 'hello', role: 'reviewer', protocol: 1, token: 't' });
  assert.deepEqual(heard, [{ kind: 'snapshot', sessions: [], questions: [] }]);
  connection.close();
});

test('a refusal, another version and a malformed answer are told apart', async (t) => {
  const refused = await desk(t, '{"kind":"refused","reason":"wrong token"}\n');
  await fails(connectDesk(refused.path, hello, ignore), 'refused', /wrong token/u);
  const newer = await desk(t, '{"kind":"welcome","protocol":2}\n');
  await fails(connectDesk(newer.path, hello, ignore), 'version', /protocol 2, this is 1/u);
  const odd = await desk(t, 'hi\n');
  await fails(connectDesk(odd.path, hello, ignore), 'version', /not JSON/u);
  await fails(connectDesk('/nonexistent/desk.sock', hello, ignore), 'no desk', /nonexistent/u);
});

test('an unknown message and the end of the desk close the connection, once', async (t) => {
  const unknown = await desk(t, welcome);
  const reason = await new Promise<DeskError>((resolve, reject) => {
    void connectDesk(unknown.path, hello, { ...ignore, closed: resolve }).then(
      () => unknown.peers[0]?.write('{"kind":"hello?"}\n'),
      reject,
    );
  });
  assert.equal(reason.code, 'version');
  const ended = await desk(t, welcome);
  const lost = await new Promise<DeskError>((resolve, reject) => {
    void connectDesk(ended.path, hello, { ...ignore, closed: resolve }).then(
      () => ended.peers[0]?.end(),
      reject,
    );
  });
  assert.equal(lost.code, 'lost');
});

test('a launcher that fails says why; one that works is waited for', async (t) => {
  const at = folder(t);
  const launcher = join(at, 'kinwatch');
  const script = (text: string): void => {
    writeFileSync(launcher, `#!/bin/sh\n${text}\n`);
    chmodSync(launcher, 0o755);
  };
  const socket = join(at, 'desk.sock');
  await fails(startDesk(launcher, undefined, socket), 'not started', /could not be run/u);
  script('echo "no home for you" >&2; exit 3');
  await fails(startDesk(launcher, undefined, socket), 'not started', /^no home for you$/u);
  const server = join(at, 'server.cjs');
  writeFileSync(
    server,
    `require('net').createServer(s => s.on('data', () => s.end(${JSON.stringify(welcome)})))
      .listen(${JSON.stringify(socket)});
    setTimeout(() => process.exit(), 5000);`,
  );
  script(`[ "$1" = desk ] || exit 9\n'${process.execPath}' '${server}' </dev/null >/dev/null 2>&1 &`);
  const connection: DeskConnection = await connectOrStartDesk({ socket, home: at, launcher }, hello, ignore);
  assert.equal(connection.enrolled, 'known');
});
