/** Field cases of kind 2 (framing), by number: bytes and lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunked } from './chunked.ts';
import { answer, call, rig } from './rig.ts';

const bom = Buffer.from('\uFEFF');

test('field case 12: a banner and an ANSI line are kept out of the stream and shown; frames around them pass in order', async () => {
  const r = rig();
  r.say(call('1', 'a'));
  r.say(call('2', 'b'));
  r.reply('Server v1.2 started');
  r.reply(answer('1'));
  r.reply('\u001b[32minfo\u001b[0m');
  r.reply('[info] ready');
  r.reply('123');
  r.reply(answer('2'));
  assert.equal(await r.client.text(), answer('1'));
  assert.equal(await r.client.text(), answer('2'));
  assert.equal(r.faults.length, 4);
  assert.match(r.faults[0] ?? '', /not JSON.*"Server v1\.2 started"$/);
  assert.ok(r.faults.every((text) => !/[\p{Cc}\p{Cf}]/u.test(text)));
});

test('field case 12: a flood of banner lines is not a flood of faults, and each text is bounded', async () => {
  const r = rig();
  for (let i = 0; i < 5000; i++) r.reply('x'.repeat(1000));
  assert.ok(await r.clientGotNothing());
  assert.ok(r.faults.length < 80);
  assert.ok(r.faults.every((text) => text.length < 400));
});

test('field case 13: CRLF both ways, cut between CR and LF; blank lines ignored; output ends in LF alone', async () => {
  const r = rig();
  r.say(Buffer.from(`${call('1', 'a')}\r`));
  r.say(Buffer.from('\n\r\n   \n\t\r\n\n'));
  r.say(Buffer.from(`${call('2', 'b')}\r\n`));
  assert.equal(await r.server.text(), call('1', 'a'));
  assert.equal(await r.server.text(), call('2', 'b'));
  r.reply(Buffer.from(`\r\n${answer('1')}\r`));
  r.reply(Buffer.from('\n \n'));
  assert.equal(await r.client.text(), answer('1'));
  assert.ok(await r.clientGotNothing());
  assert.deepEqual(r.faults, []);
});

test('a byte order mark is accepted at the beginning only', async () => {
  const r = rig();
  r.say(Buffer.concat([bom, Buffer.from(`${call('1', 'a')}\n`)]));
  assert.equal(await r.server.text(), call('1', 'a'));
  r.reply(Buffer.concat([bom, Buffer.from(`${answer('1')}\n`)]));
  assert.equal(await r.client.text(), answer('1'));
  r.say(Buffer.concat([bom, Buffer.from(`${call('2', 'a')}\n`)]));
  assert.equal((await r.client.json())['error'].code, -32700);
  assert.ok(await r.serverGotNothing());
});

test('field case 14: a frame with 読 and an emoji, byte by byte, both ways', async () => {
  const r = rig();
  const question = call('1', 'a', ',"arguments":{"t":"読 😀"}');
  for (const byte of Buffer.from(`${question}\n`)) r.say(Buffer.from([byte]));
  assert.equal(await r.server.text(), question);
  assert.equal(r.requests[0]?.argumentsJson, '{"t":"読 😀"}');
  const reply = answer('1', '{"t":"読 😀"}');
  for (const byte of Buffer.from(`${reply}\n`)) r.reply(Buffer.from([byte]));
  assert.equal(await r.client.text(), reply);
});

test('field case 15: U+2028 and U+2029 raw in a string: one frame in, one frame out', async () => {
  const r = rig();
  const question = call('1', 'a', ',"arguments":{"t":"a\u2028b\u2029c\u0085"}');
  r.say(question);
  assert.equal(await r.server.text(), question);
  const reply = answer('1', '{"t":"a\u2028b\u2029c"}');
  r.reply(reply);
  assert.equal(await r.client.text(), reply);
});

test('field case 17: frames around 64 KiB, of 10 MiB + 1 and of 25 MiB pass whole both ways', async () => {
  const r = rig();
  for (const size of [65_535, 65_536, 65_537, 65_747, 10 * 2 ** 20 + 1, 25 * 2 ** 20]) {
    const filled = (frame: (fill: string) => string): string => frame('x'.repeat(size - frame('').length));
    const question = filled((fill) => call('1', 'a', `,"arguments":{"t":"${fill}"}`));
    const reply = filled((fill) => answer('1', `{"t":"${fill}"}`));
    const cuts = Array.from({ length: size >> 16 }, (_, i) => (i + 1) << 16);
    for (const chunk of chunked(Buffer.from(`${question}\n`), cuts)) r.say(chunk);
    assert.ok(Buffer.from(question).equals((await r.server.bytes()) ?? Buffer.alloc(0)));
    for (const chunk of chunked(Buffer.from(`${reply}\n`), cuts)) r.reply(chunk);
    assert.ok(Buffer.from(reply).equals((await r.client.bytes()) ?? Buffer.alloc(0)));
  }
});

for (const order of ['first', 'last']) {
  const frame = (id: string, rest: string): string =>
    order === 'first' ? `{"id":${id},${rest}}` : `{${rest},"id":${id}}`;
  const fill = 'x,{}[]:\\"'.repeat(200);

  test(`field case 17: over the limit, the id ${order}: an error for that id, the session goes on`, async () => {
    const r = rig({ maxFrameBytes: 1000 });
    r.say(frame('"q\\n1"', `"method":"tools/call","params":{"id":7,"t":"${fill}"}`));
    const refused = await r.client.json();
    assert.equal(refused['id'], 'q\n1');
    assert.match(refused['error'].message, /longer than 1000 bytes/);
    assert.ok(await r.serverGotNothing());

    r.say(call('2', 'a'));
    assert.equal(await r.server.text(), call('2', 'a'));
    r.reply(frame('2', `"result":{"id":9,"t":"${fill}"}`));
    const failed = await r.client.json();
    assert.equal(failed['id'], 2);
    assert.equal(failed['error'].code, -32603);
    assert.deepEqual(r.log, ['request 1 tools/call', 'result 1 error']);
    assert.ok(await r.clientGotNothing());

    // The server's own request, too long: the server is told. The client's answer to one: the server is told.
    r.reply(frame('3', `"method":"sampling/createMessage","params":"${fill}"`));
    assert.equal(JSON.parse((await r.server.text()) ?? '').id, 3);
    r.say(frame('4', `"result":"${fill}"`));
    assert.equal(JSON.parse((await r.server.text()) ?? '').id, 4);
    assert.ok(await r.clientGotNothing());
  });
}

test('field case 17: 200 MiB without a newline: bounded memory, answered before the line ends, the session goes on', async () => {
  const r = rig({ maxFrameBytes: 1 << 20 });
  r.say(call('1', 'a'));
  await r.server.text();
  r.reply(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"'));
  const block = Buffer.alloc(1 << 20, 'x');
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 200; i++) {
    if (!r.serverOut.write(block)) await new Promise((resolve) => r.serverOut.once('drain', resolve));
  }
  assert.ok(process.memoryUsage().rss - before < 60e6);
  assert.equal((await r.client.json())['error'].code, -32603);
  r.reply('"}');
  assert.ok(await r.clientGotNothing());
});

test('field case 28: many frames in one write pass at once and in order; half a frame waits for its rest', async () => {
  const r = rig();
  const all = Array.from({ length: 1000 }, (_, i) => call(String(i), 'a'));
  r.say(Buffer.from(`${all.join('\n')}\n${call('1000', 'b').slice(0, 20)}`));
  for (const text of all) assert.equal(await r.server.text(), text);
  r.say(call('1000', 'b').slice(20));
  assert.equal(await r.server.text(), call('1000', 'b'));
});

test('a last frame without a newline is passed on with one', async () => {
  const r = rig();
  r.say(call('1', 'a'));
  await r.server.text();
  r.serverOut.end(answer('1'));
  assert.equal(await r.client.text(), answer('1'));
  r.clientIn.end(call('2', 'b'));
  assert.equal(await r.server.text(), call('2', 'b'));
  assert.equal(r.log.at(-1), 'client ended');
});

test('chunking never changes what comes out, on either side', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  const frame = fc.oneof(
    fc
      .tuple(fc.nat(), fc.json())
      .map(([id, json]) => `{"id":${id},"method":"m/x","params":{"a":${JSON.stringify(JSON.parse(json))}}}`),
    text.map((value) => `{"jsonrpc":"2.0","method":"note","params":{"t":${JSON.stringify(value)}}}`),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(frame, { maxLength: 8, selector: (f) => f.split(',')[0] }),
      fc.array(fc.nat()),
      fc.constantFrom('\n', '\r\n'),
      async (frames, cuts, end) => {
        const r = rig();
        const stream = Buffer.from(frames.map((f) => f + end).join(''));
        for (const chunk of chunked(stream, cuts)) r.say(Buffer.from(chunk));
        for (const chunk of chunked(stream, cuts)) r.reply(Buffer.from(chunk));
        for (const f of frames) assert.equal(await r.server.text(), f);
        for (const f of frames) assert.equal(await r.client.text(), f);
        assert.deepEqual(r.faults, []);
      },
    ),
  );
});
