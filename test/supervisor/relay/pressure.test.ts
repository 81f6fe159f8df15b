/** Nobody is read faster than the other side takes it. */
import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { answer, call, rig } from './rig.ts';

test('before there is a server the client is read only so far', async () => {
  const r = rig({ attached: false });
  const frame = Buffer.from(`{"method":"n","params":"${'x'.repeat(1 << 16)}"}\n`);
  let wrote = 0;
  while (
    r.clientIn.write(frame) ||
    (await Promise.race([
      new Promise((resolve) => r.clientIn.once('drain', () => resolve(true))),
      new Promise((resolve) => setImmediate(resolve)),
    ])) === true
  )
    wrote++;
  assert.ok(wrote >= 15 && wrote < 24, String(wrote));
  r.attach();
  for (let i = 0; i <= wrote; i++) assert.equal((await r.server.bytes())?.length, frame.length - 1);
});

/** A writable that takes nothing until told. */
function stuck() {
  const taken: Buffer[] = [];
  const held: (() => void)[] = [];
  let open = false;
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      taken.push(chunk);
      if (open) done();
      else held.push(done);
    },
  });
  const release = (): void => {
    open = true;
    for (const done of held.splice(0)) done();
  };
  return { stream, taken, release };
}

for (const side of ['client', 'server'] as const) {
  test(`back-pressure: a ${side} that does not read stops the other's source, and all arrives once it does`, async () => {
    const sink = stuck();
    const source = new PassThrough();
    const r = side === 'client' ? rig({ clientOut: sink.stream }) : rig({ attached: false });
    if (side === 'server') r.relay.attach(sink.stream, source);
    const from = side === 'client' ? r.serverOut : r.clientIn;
    const frame = Buffer.from(`{"method":"n","params":"${'x'.repeat(1 << 16)}"}\n`);
    let accepted = 0;
    for (let i = 0; i < 200; i++) if (from.write(frame)) accepted++;
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(from.isPaused());
    assert.ok(sink.stream.writableLength < 4 * frame.length);
    const ended = new Promise((resolve) => from.once('end', resolve));
    from.end();
    sink.release();
    await ended;
    assert.equal(Buffer.concat(sink.taken).length, 200 * frame.length);
    assert.ok(accepted < 200);
  });
}

test('back-pressure: a client that sends nonsense and reads no answers is stopped', async () => {
  const sink = stuck();
  const r = rig({ clientOut: sink.stream });
  for (let i = 0; i < 100_000; i++) r.clientIn.write('nonsense\n');
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(r.clientIn.isPaused());
  assert.ok(sink.stream.writableLength < 3e6);
  sink.release();
  r.clientIn.end();
  await new Promise((resolve) => r.clientIn.once('end', resolve));
});

test("closing the server's input comes after what was forwarded", async () => {
  const r = rig();
  r.say(call('1', 'a'));
  assert.equal(await r.server.text(), call('1', 'a'));
  r.relay.endServerInput();
  assert.equal(await r.server.text(), undefined);
  r.say(call('2', 'a'));
  assert.equal((await r.client.json())['error'].code, -32000);
  r.reply(answer('1'));
  assert.equal(await r.client.text(), answer('1'));
});
