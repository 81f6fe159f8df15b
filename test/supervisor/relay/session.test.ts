/** Field cases 23, 25 and 29, and what clients are known to send. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { answer, call, cancel, initialize, ping, rig } from './rig.ts';

test('field case 23: cancelled: reported once, passed on; the late result or error is dropped and reported', async () => {
  for (const late of [answer('7'), '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}']) {
    const r = rig();
    r.say(call('7', 'a'));
    r.say(cancel('7'));
    assert.equal(await r.server.text(), call('7', 'a'));
    assert.equal(await r.server.text(), cancel('7'));
    assert.deepEqual(r.relay.inFlight(), []);
    r.reply(late);
    assert.ok(await r.clientGotNothing());
    assert.deepEqual(r.log, ['request 1 tools/call', 'result 1 cancelled']);
    assert.match(r.faults[0] ?? '', /late answer/);
  }
});

test('field case 23: cancelled after the result, or for an unknown id or one of another type: passed on, nothing else', async () => {
  const r = rig();
  r.say(call('7', 'a'));
  r.reply(answer('7'));
  await r.client.text();
  await r.server.text();
  r.say(call('8', 'a'));
  await r.server.text();
  for (const id of ['7', '99', '"8"']) {
    r.say(cancel(id));
    assert.equal(await r.server.text(), cancel(id));
  }
  const progress =
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}';
  r.reply(progress);
  assert.equal(await r.client.text(), progress);
  assert.equal(r.relay.inFlight().length, 1);
  assert.deepEqual(r.faults, []);
});

test('field case 23: an answer to what was never asked is passed on and reported', async () => {
  const r = rig();
  r.reply(answer('5'));
  assert.equal(await r.client.text(), answer('5'));
  assert.equal(r.faults.length, 1);
  const unreadable = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}';
  r.reply(unreadable);
  assert.equal(await r.client.text(), unreadable);
});

test('field case 25: every protocol version passes unchanged, and early messages are neither lost nor reordered', async () => {
  for (const version of ['2024-11-05', '2025-11-25', '2026-07-28', '9999-01-01', '']) {
    const r = rig();
    const early = [
      '{"id":"d","method":"server/discover"}',
      initialize(version),
      '{"id":1,"method":"tools/list"}',
    ];
    for (const text of early) r.say(text);
    for (const text of early) assert.equal(await r.server.text(), text);
    const theirs = answer('0', '{"protocolVersion":"1999-01-01","serverInfo":{"name":"x"}}');
    r.reply(theirs);
    assert.equal(await r.client.text(), theirs);
    assert.deepEqual(r.log.slice(1, 3), ['claims Visual Studio Code 1.2', 'request 2 initialize']);
    assert.equal(r.log.at(-1), 'initialized');
  }
});

test('field case 29: the server exits with requests open: each gets an error with status and stderr, in order; then the end', async () => {
  const r = rig();
  r.say(call('1', 'a'));
  r.say(call('"two"', 'b'));
  r.say(ping('3'));
  for (let i = 0; i < 3; i++) await r.server.text();
  r.serverOut.end(`${answer('1')}\n`);
  const ended = r.relay.serverEnded('exit code 3', 'Error: no such table\n    at query (db.js:1)\n');
  assert.equal(await r.client.text(), answer('1'));
  const two = await r.client.json();
  assert.equal(two['id'], 'two');
  assert.equal(two['error'].code, -32000);
  assert.match(two['error'].message, /exit code 3[^]*no such table/);
  assert.equal((await r.client.json())['id'], 3);
  assert.equal(await r.client.text(), undefined);
  await ended;
  assert.deepEqual(r.log, [
    'request 1 tools/call',
    'request 2 tools/call',
    'result 1 result',
    'result 2 error',
  ]);
});

test('field case 29: the server exits before initialize, or was never attached', async () => {
  for (const attached of [true, false]) {
    const r = rig({ attached });
    r.say(initialize('2025-11-25'));
    if (attached) await r.server.text();
    r.serverOut.end();
    const ended = r.relay.serverEnded('killed by SIGKILL', '');
    assert.match((await r.client.json())['error'].message, /killed by SIGKILL/);
    assert.equal(await r.client.text(), undefined);
    await ended;
  }
});

test('field case 29: a dead server whose stdout somebody else holds open: answered well within a second', async () => {
  const r = rig();
  r.say(call('1', 'a'));
  await r.server.text();
  const begun = performance.now();
  void r.relay.serverEnded('exit code 1', '');
  assert.equal((await r.client.json())['id'], 1);
  assert.ok(performance.now() - begun < 900);
});

test('field case 29: EPIPE on the server: later requests are answered, nothing throws', async () => {
  const r = rig();
  r.serverIn.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await new Promise((resolve) => r.serverIn.once('close', resolve));
  r.say(call('1', 'a'));
  assert.equal((await r.client.json())['error'].code, -32000);
  assert.equal(r.faults.length, 1);
  assert.deepEqual(r.requests, []);
});

test('field case 29: EPIPE on the client: told once, and the server can go on writing', async () => {
  const broken = new Writable({
    write: (_, __, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  const r = rig({ clientOut: broken });
  r.reply('{"method":"note"}');
  await new Promise((resolve) => broken.once('close', resolve));
  for (let i = 0; i < 10; i++) {
    if (!r.serverOut.write(Buffer.alloc(1 << 16, '\n')))
      await new Promise((resolve) => r.serverOut.once('drain', resolve));
  }
  r.clientIn.end();
  await new Promise((resolve) => r.clientIn.once('end', resolve));
  assert.deepEqual(r.log, ['client ended']);
});

test('a first line that is not JSON is answered and does not end the session', async () => {
  const r = rig();
  r.say(Buffer.from(`Content-Length: 160\r\n\r\n${initialize('2024-11-05')}\n`));
  const refused = await r.client.json();
  assert.deepEqual([refused['id'], refused['error'].code], [null, -32700]);
  assert.equal(await r.server.text(), initialize('2024-11-05'));
});

test("the server's requests pass, and their ids are none of the client's", async () => {
  const r = rig();
  r.say(call('1', 'a'));
  await r.server.text();
  const asked = '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}';
  r.reply(asked);
  assert.equal(await r.client.text(), asked);
  r.say(answer('1', '{"action":"decline"}'));
  assert.equal(await r.server.text(), answer('1', '{"action":"decline"}'));
  assert.equal(r.relay.inFlight().length, 1);
});

test('a request is reported with the arguments as they are forwarded', async () => {
  const r = rig();
  r.say(call('1', 'run\\u005ftest', ',"arguments": {"n": 1.0, "x":"\\u202e"} ,"_meta":{"other":1}'));
  r.say('{"id":2,"method":"resources/read","params":{"uri":"a:b"}}');
  r.say('{"id":3,"method":"tools/list"}');
  r.say('{"id":4,"method":"tools/call","params":{"name":5}}');
  for (let i = 0; i < 4; i++) await r.server.text();
  assert.deepEqual(r.requests, [
    { number: 1, method: 'tools/call', tool: 'run_test', argumentsJson: '{"n": 1.0, "x":"\\u202e"}' },
    { number: 2, method: 'resources/read', argumentsJson: '{"uri":"a:b"}' },
    { number: 3, method: 'tools/list', argumentsJson: '' },
    { number: 4, method: 'tools/call', argumentsJson: '{"name":5}' },
  ]);
  assert.deepEqual(
    r.relay.inFlight().map(({ number, tool }) => [number, tool]),
    [
      [1, 'run_test'],
      [2, undefined],
      [3, undefined],
      [4, undefined],
    ],
  );
});

test('outcomes: result, tool error, error', async () => {
  const r = rig();
  for (const [id, reply] of [
    ['1', answer('1')],
    ['2', answer('2', '{"isError":true,"content":[]}')],
    ['3', '{"id":3,"error":{"code":1,"message":""}}'],
    ['4', answer('4', '{"isError":false}')],
  ] as const) {
    r.say(call(id, 'a'));
    r.reply(reply);
    assert.equal(await r.client.text(), reply);
  }
  assert.deepEqual(
    r.log.filter((line) => line.startsWith('result')),
    ['result 1 result', 'result 2 tool error', 'result 3 error', 'result 4 result'],
  );
});
