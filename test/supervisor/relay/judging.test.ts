/** Field cases of kind 2 (framing), by number: ids, and what two readers could take differently. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, call, rig } from './rig.ts';

test('field case 20: ids come back exactly, and "1" and 1 are different requests', async () => {
  const r = rig();
  const ids = [
    '"1"',
    '1',
    '0',
    '""',
    '-1',
    '9007199254740993',
    '9007199254740992',
    '1.0',
    '"__proto__"',
    '"a\\u00e9"',
    '1e2',
  ];
  for (const id of ids) {
    r.say(call(id, 'a'));
    assert.equal(await r.server.text(), call(id, 'a'));
  }
  assert.equal(r.relay.inFlight().length, ids.length);
  for (const id of ids.toReversed()) {
    r.reply(answer(id));
    assert.equal(await r.client.text(), answer(id));
  }
  assert.deepEqual(r.relay.inFlight(), []);
  assert.deepEqual(
    r.log.slice(ids.length),
    ids.map((_, i) => `result ${ids.length - i} result`),
  );
  assert.deepEqual(r.faults, []);
});

test('field case 20: a server that keeps numbers as doubles, or escapes differently, still settles the request', async () => {
  const r = rig();
  for (const [asked, answered] of [
    ['9007199254740993', '9007199254740992'],
    ['1', '1.0'],
    ['"\\u00e9"', '"é"'],
  ] as const) {
    r.say(call(asked, 'a'));
    r.reply(answer(answered));
    assert.equal(await r.client.text(), answer(answered));
    assert.deepEqual(r.relay.inFlight(), []);
  }
});

test('field case 20: bad ids are refused with -32600 and null; nothing is passed on', async () => {
  const r = rig();
  for (const id of ['null', 'true', '{}', '[1]', `"${'x'.repeat(5000)}"`]) {
    r.say(call(id, 'a'));
    const refused = await r.client.json();
    assert.equal(refused['id'], null);
    assert.equal(refused['error'].code, -32600);
  }
  assert.ok(await r.serverGotNothing());
  assert.deepEqual(r.requests, []);
});

test('field case 20: an id in use is refused without settling the request that uses it', async () => {
  const r = rig();
  r.say(call('1', 'a'));
  r.say(call('1', 'b'));
  assert.equal((await r.client.json())['id'], null);
  r.reply(answer('1'));
  assert.equal(await r.client.text(), answer('1'));
  assert.equal(r.requests.length, 1);
});

test('field case 22: batches from either side are refused; zero bytes to the other side', async () => {
  const r = rig();
  for (const batch of [
    `[${call('1', 'a')},${call('2', 'b')}]`,
    '[]',
    `[[${call('1', 'a')}]]`,
    '[{"method":"n"},{"method":"n"}]',
  ]) {
    r.say(batch);
    const refused = await r.client.json();
    assert.deepEqual([refused['id'], refused['error'].code], [null, -32600]);
    assert.ok(await r.serverGotNothing());
    r.reply(batch);
    assert.ok(await r.clientGotNothing());
  }
  assert.equal(r.faults.length, 8);
});

test('field case 26: duplicate keys in what is judged are refused, nested ones in arguments too', async () => {
  const r = rig();
  const bad = [
    '{"id":1,"method":"tools/call","params":{"name":"read_file","name":"delete_all"}}',
    '{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[{"p":1,"p":2}]}}}',
    '{"id":1,"method":"tools/call","params":{"name":"a"},"params":{"name":"b"}}',
    '{"id":1,"method":"tools/list","\\u006dethod":"tools/call"}',
    '{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1,"progressToken":2}}}',
    '{"id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}',
    '{"id":1,"method":"tools/call","params":{"name":"a","argumentſ":{}}}',
    '{"id":1,"method":"tools/list","Method":"tools/call"}',
    '{"id":1,"method":"tools/list","result":{}}',
  ];
  for (const text of bad) {
    r.say(text);
    const refused = await r.client.json();
    assert.deepEqual([refused['id'], refused['error'].code], [1, -32600], text);
  }
  r.say('{"id":1,"id":2,"method":"tools/list"}');
  assert.equal((await r.client.json())['id'], null);
  assert.ok(await r.serverGotNothing());
  assert.deepEqual(r.requests, []);
});

test('field case 26: from the server: the frame is kept back, and its request gets an error', async () => {
  const r = rig();
  for (const [id, rest] of [
    ['1', '"result":{},"result":{"isError":true}'],
    ['2', '"result":{"isError":false,"isError":true}'],
  ] as const) {
    r.say(call(id, 'a'));
    r.reply(`{"id":${id},${rest}}`);
    assert.equal((await r.client.json())['error'].code, -32603);
  }
  r.say(call('3', 'a'));
  const ordinary = answer('3', '{"content":[{"a":1,"a":2}]}');
  r.reply(ordinary);
  assert.equal(await r.client.text(), ordinary);
});

test('field case 27: a frame that is not UTF-8 fails alone', async () => {
  const r = rig();
  const bad = [
    Buffer.from([0xff]),
    Buffer.concat([
      Buffer.from('{"id":1,"method":"x","params":["'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"]}'),
    ]),
    Buffer.concat([Buffer.from('{"id":1,"method":"x","params":["'), Buffer.from([0xe8, 0xaa])]),
  ];
  for (const [i, bytes] of bad.entries()) {
    r.say(Buffer.concat([bytes, Buffer.from('\n')]));
    const refused = await r.client.json();
    assert.deepEqual([refused['id'], refused['error'].code], [i === 0 ? null : 1, -32700]);
    r.reply(Buffer.concat([bytes, Buffer.from('\n')]));
  }
  assert.equal(JSON.parse((await r.server.text()) ?? '').id, 1); // the server's own bad request is answered
  r.say(call('2', 'a'));
  r.reply(Buffer.concat([Buffer.from('{"id":2,"result":{"t":"'), Buffer.from([0xff]), Buffer.from('"}}\n')]));
  assert.equal((await r.client.json())['id'], 2);
  assert.ok(await r.clientGotNothing());
});
