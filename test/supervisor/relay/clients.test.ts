/** What clients in use are known to send, point by point: it passes, byte for byte, and ends nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, call, initialize, ping, rig } from './rig.ts';

test('server/discover before initialize passes, and so does the server’s error for it', async () => {
  const r = rig();
  const discover = '{"jsonrpc":"2.0","id":"d-1","method":"server/discover","params":{"_meta":{"v":1.0}}}';
  r.say(discover);
  assert.equal(await r.server.text(), discover);
  const unknown = '{"jsonrpc":"2.0","id":"d-1","error":{"code":-32601,"message":"Method not found"}}';
  r.reply(unknown);
  assert.equal(await r.client.text(), unknown);
  r.say(initialize('2025-11-25'));
  assert.equal(await r.server.text(), initialize('2025-11-25'));
  assert.deepEqual(r.faults, []);
});

test('every protocol version in use passes both ways, with serverInfo.name and capabilities nobody knows', async () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
    const r = rig();
    r.say(initialize(version));
    assert.equal(await r.server.text(), initialize(version));
    const welcome = answer(
      '0',
      `{"protocolVersion":"${version}","capabilities":{"x-new":{"a":[1.0]}},"serverInfo":{"name":"Näme \\u0041 / tools","version":"1","x":null}}`,
    );
    r.reply(welcome);
    assert.equal(await r.client.text(), welcome);
    assert.deepEqual(r.faults, []);
  }
});

test('string ids and _meta keys that nobody knows come through as they are, both ways', async () => {
  const r = rig();
  const meta =
    ',"_meta":{"progressToken":"t","claudecode/toolUseId":"x","io.example/trace":{"n":9007199254740993}}';
  for (const id of ['"a"', '"c0ffee-\\u00e9"', '"1"', '""']) {
    r.say(call(id, 'a', meta));
    assert.equal(await r.server.text(), call(id, 'a', meta));
    const reply = answer(id, '{"content":[],"_meta":{"io.example/cost":1.50}}');
    r.reply(reply);
    assert.equal(await r.client.text(), reply);
  }
  assert.deepEqual(r.faults, []);
  assert.deepEqual(r.relay.inFlight(), []);
});

test('pings that are never answered, from either side, end nothing', async () => {
  const r = rig();
  for (let i = 0; i < 100; i++) {
    r.reply(ping(String(i)));
    assert.equal(await r.client.text(), ping(String(i)));
    r.say(ping(`"c${i}"`));
    assert.equal(await r.server.text(), ping(`"c${i}"`));
  }
  r.say(call('1', 'a'));
  assert.equal(await r.server.text(), call('1', 'a'));
  r.reply(answer('1'));
  assert.equal(await r.client.text(), answer('1'));
  assert.deepEqual(r.faults, []);
  assert.deepEqual(r.log, ['request 1 tools/call', 'result 1 result']);
});
