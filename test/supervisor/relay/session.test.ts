/** Field cases 23, 25 and 29, what clients are known to send, and the relay's own part in a session. */
import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { answer, call, rig } from './rig.ts';

const initialize = (version: string): string =>
  `{"method":"initialize","params":{${version === '' ? '' : `"protocolVersion":"${version}",`}"capabilities":{"x-new":{}},"clientInfo":{"name":"Visual Studio Code","version":"1.2"}},"jsonrpc":"2.0","id":0}`;
const cancel = (id: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;
const ping = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

test('23 cancelled: reported once, passed on; the late result or error is dropped and reported', async () => {
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

test('23 cancelled after the result, or for an unknown id or one of another type: passed on, nothing else', async () => {
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

test('23 an answer to what was never asked is passed on and reported', async () => {
  const r = rig();
  r.reply(answer('5'));
  assert.equal(await r.client.text(), answer('5'));
  assert.equal(r.faults.length, 1);
  const unreadable = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}';
  r.reply(unreadable);
  assert.equal(await r.client.text(), unreadable);
});

test('25 every protocol version passes unchanged, and early messages are neither lost nor reordered', async () => {
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

test('29 the server exits with requests open: each gets an error with status and stderr, in order; then the end', async () => {
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

test('29 the server exits before initialize, or was never attached', async () => {
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

test('29 a dead server whose stdout somebody else holds open: answered well within a second', async () => {
  const r = rig();
  r.say(call('1', 'a'));
  await r.server.text();
  const begun = performance.now();
  void r.relay.serverEnded('exit code 1', '');
  assert.equal((await r.client.json())['id'], 1);
  assert.ok(performance.now() - begun < 900);
});

test('29 EPIPE on the server: later requests are answered, nothing throws', async () => {
  const r = rig();
  r.serverIn.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await new Promise((resolve) => r.serverIn.once('close', resolve));
  r.say(call('1', 'a'));
  assert.equal((await r.client.json())['error'].code, -32000);
  assert.equal(r.faults.length, 1);
  assert.deepEqual(r.requests, []);
});

test('29 EPIPE on the client: told once, and the server can go on writing', async () => {
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

test('while held: ping answered here, earlier pings too; progress at once and every interval; then as before', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const r = rig();
  r.say(ping('"before"'));
  r.say(call('1', 'a', ',"_meta":{"progressToken":"1"}'));
  r.say(call('2', 'b', ',"_meta":{"progressToken":1}'));
  r.say(call('3', 'c'));
  for (let i = 0; i < 4; i++) await r.server.text();
  const theirs = '{"method":"notifications/progress","params":{"progressToken":1,"progress":40,"total":100}}';
  r.reply(theirs);
  assert.equal(await r.client.text(), theirs);

  const release = r.relay.hold([2, 3]);
  const told = await r.client.json();
  assert.deepEqual(told, {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: {
      progressToken: 1,
      progress: told['params'].progress,
      message: 'Waiting for approval in Kinwatch',
    },
  });
  assert.ok(told['params'].progress > 40 && told['params'].progress < 41);
  assert.equal(await r.client.text(), '{"jsonrpc":"2.0","id":"before","result":{}}');
  r.say(ping('9007199254740993'));
  assert.equal(await r.client.text(), '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}');
  t.mock.timers.tick(5000);
  assert.ok((await r.client.json())['params'].progress > told['params'].progress);

  const releaseAll = r.relay.hold([]);
  assert.deepEqual(
    [(await r.client.json())['params'].progressToken, (await r.client.json())['params'].progressToken],
    ['1', 1],
  );
  release();
  release();
  r.say(ping('5'));
  assert.equal((await r.client.json())['id'], 5);
  releaseAll();
  t.mock.timers.tick(60_000);
  r.say(ping('6'));
  assert.equal(await r.server.text(), ping('6'));
  r.reply(answer('"before"')); // the server gets to it at last: nobody waits any more
  assert.ok(await r.clientGotNothing());
});

test('a hold ends with the cancellation of its requests', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const r = rig();
  r.say(call('1', 'a', ',"_meta":{"progressToken":1}'));
  await r.server.text();
  const release = r.relay.hold([1]);
  assert.equal((await r.client.json())['method'], 'notifications/progress');
  r.say(cancel('1'));
  await r.server.text();
  r.say(ping('2'));
  assert.equal(await r.server.text(), ping('2'));
  t.mock.timers.tick(60_000);
  assert.ok(await r.clientGotNothing());
  release();
});

test('marked denied: isError, the text first, the rest byte for byte', async () => {
  const r = rig();
  const text = 'Denied: "git" push\n(rule)';
  const item = JSON.stringify({ type: 'text', text });
  const cases: [string, string][] = [
    [
      '{ "content" : [ {"type":"text","text":"1.0"}], "n": 9007199254740993 }',
      `{"isError":true, "content" : [${item}, {"type":"text","text":"1.0"}], "n": 9007199254740993 }`,
    ],
    ['{"isError":false,"content":[ ]}', `{"isError":true,"content":[${item} ]}`],
    ['{}', `{"content":[${item}],"isError":true}`],
    [
      '{"structuredContent":{"content":[1]}}',
      `{"content":[${item}],"isError":true,"structuredContent":{"content":[1]}}`,
    ],
    ['{"content":null,"isError":"no"}', `{"content":[${item}],"isError":true}`],
    ['null', `{"content":[${item}],"isError":true}`],
  ];
  for (const [i, [given, expected]] of cases.entries()) {
    r.say(call(String(i), 'a'));
    await r.server.text();
    r.relay.markDenied(i + 1, text);
    r.reply(answer(String(i), given));
    assert.equal(await r.client.text(), answer(String(i), expected));
    assert.equal(r.log.at(-1), `result ${i + 1} marked denied`);
  }
});

test('marked denied: any result stays JSON, with its own content behind the denial', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.json(), { maxLength: 3 }),
      fc.nat(2),
      fc.option(fc.boolean(), { nil: undefined }),
      async (content, indent, isError) => {
        const r = rig();
        r.say(call('1', 'a'));
        await r.server.text();
        r.relay.markDenied(1, 'one');
        r.relay.markDenied(1, 'two');
        const result = { a: 1, content: content.map((json) => JSON.parse(json)), isError, z: {} };
        r.reply(answer('1', JSON.stringify(result, null, ' '.repeat(indent)).replaceAll('\n', '')));
        const marked = (await r.client.json())['result'];
        assert.deepEqual(
          marked,
          JSON.parse(
            JSON.stringify({
              ...result,
              isError: true,
              content: [{ type: 'text', text: 'one\ntwo' }, ...result.content],
            }),
          ),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test('marked denied leaves an error answer, other methods and answered requests alone', async () => {
  const r = rig();
  r.say(call('1', 'a'));
  r.say('{"id":2,"method":"resources/read","params":{}}');
  await r.server.text();
  await r.server.text();
  for (const number of [1, 2, 99]) r.relay.markDenied(number, 'no');
  for (const reply of ['{"id":1,"error":{"code":1,"message":"x"}}', '{"id":2,"result":{"contents":[]}}']) {
    r.reply(reply);
    assert.equal(await r.client.text(), reply);
  }
  assert.deepEqual(r.log.slice(2), ['result 1 error', 'result 2 result']);
});

test('before there is a server: frames wait in order, ping is answered, claims are told, bad frames refused', async () => {
  const r = rig({ attached: false });
  r.say(initialize('2025-11-25'));
  r.say(ping('"p"'));
  r.say('nonsense');
  r.say('{"method":"notifications/initialized"}');
  assert.equal((await r.client.json())['id'], 'p');
  assert.equal((await r.client.json())['error'].code, -32700);
  assert.deepEqual(r.log, ['claims Visual Studio Code 1.2']);
  r.attach();
  assert.equal(await r.server.text(), initialize('2025-11-25'));
  assert.equal(await r.server.text(), '{"method":"notifications/initialized"}');
  assert.deepEqual(r.log.slice(1), ['request 1 initialize']);
});

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

test('refused: initialize and every other request get the text, whether they came or come; nothing else', async () => {
  const r = rig({ attached: false });
  const text = 'Waiting for approval in Kinwatch, then start again.';
  r.say('{"id":"d","method":"server/discover"}');
  r.say('{"method":"note"}');
  const refused = r.relay.refuse(text);
  assert.deepEqual(await r.client.json(), {
    jsonrpc: '2.0',
    id: 'd',
    error: { code: -32010, message: text },
  });
  r.say(initialize('2025-11-25'));
  assert.equal((await r.client.json())['id'], 0);
  await refused;
  r.say('{"method":"notifications/initialized"}');
  r.say(call('1', 'a'));
  assert.equal((await r.client.json())['id'], 1);
  assert.deepEqual(r.requests, []);
  assert.throws(r.attach);
});

test('refused, and the client leaves without initialize', async () => {
  const r = rig({ attached: false });
  const refused = r.relay.refuse('no');
  r.clientIn.end();
  await refused;
  assert.deepEqual(r.log, ['client ended']);
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
