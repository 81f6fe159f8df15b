/** While a person is asked: held requests, denied ones, and a start that is not approved. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answer, call, cancel, initialize, ping, rig } from './rig.ts';

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
