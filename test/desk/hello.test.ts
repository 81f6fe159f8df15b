/** What the desk lets in: framing, versions, tokens. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { OwnPeer, operator, recordsOf, reviewer, runDesk, token, until } from './harness.ts';

async function refusal(t: TestContext, socket: string, first: object | string): Promise<string> {
  const peer = new OwnPeer(t, socket);
  peer.send(first);
  const { reason } = await peer.next('refused');
  await peer.closed();
  return reason;
}

test('what is no hello is refused with a reason', async (t) => {
  const desk = await runDesk(t, { timings: { helloMs: 50 } });
  const { socket } = desk.places;
  assert.match(await refusal(t, socket, 'garbage\n'), /not JSON/);
  assert.match(await refusal(t, socket, Buffer.from([0x22, 0xff, 0x22, 0x0a])), /not JSON in UTF-8/);
  assert.match(await refusal(t, socket, { kind: 'launch' }), /first message must be hello/);
  assert.match(await refusal(t, socket, '[]\n'), /first message must be hello/);
  assert.match(await refusal(t, socket, { kind: 'hello', role: 'king', protocol: 1 }), /role/);
  assert.match(await refusal(t, socket, { kind: 'hello', role: 'operator', protocol: '1' }), /protocol/);
  assert.match(await refusal(t, socket, { kind: 'hello', role: 'operator', protocol: 1, also: 1 }), /also/);
  assert.match(
    await refusal(t, socket, { kind: 'hello', role: 'gateway', protocol: 1 }),
    /not in this version/,
  );
  assert.match(
    await refusal(t, socket, { kind: 'hello', role: 'reviewer', protocol: 2, token }),
    /protocol 1.*speaks 2: the desk is older/,
  );
  assert.match(
    await refusal(t, socket, { kind: 'hello', role: 'reviewer', protocol: 0, new: true }),
    /reload its window/,
  );
  assert.match(await refusal(t, socket, ''), /no hello came in time/);
  const rules = new Set(recordsOf(desk, 'refusal').map(({ rule }) => rule));
  assert.deepEqual(
    rules,
    new Set(['malformed message', 'not allowed in this role', 'wrong protocol version']),
  );
});

test('after hello: an unknown kind, a wrong type, a second hello and a line over 1 MiB close the connection', async (t) => {
  const desk = await runDesk(t);
  const cases: [object | string, RegExp][] = [
    [{ kind: 'approve', id: '1' }, /"approve" is not a message for this desk/],
    [{ kind: 'contain', session: 5 }, /"contain": session/],
    [{ kind: 'hello', role: 'operator', protocol: 1 }, /second hello/],
    [`{"kind":"ps","pad":"${'x'.repeat(1024 * 1024)}"}\n`, /longer than 1048576 bytes/],
    ['null\n', /no kind/],
  ];
  for (const [message, reason] of cases) {
    const peer = await operator(t, desk);
    peer.send(message);
    assert.match((await peer.next('refused')).reason, reason);
    await peer.closed();
  }
});

test('an operator may not answer', async (t) => {
  const desk = await runDesk(t);
  const peer = await operator(t, desk);
  peer.send({ kind: 'answer', id: 'x', choice: 'once' });
  assert.match((await peer.next('refused')).reason, /may not send answer/);
  assert.equal(recordsOf(desk, 'refusal')[0]?.what, 'answer');
});

test('the first reviewer enrols, the same token is known, another is refused and shown', async (t) => {
  const desk = await runDesk(t);
  const { socket, state } = desk.places;
  const first = new OwnPeer(t, socket);
  first.send({ kind: 'hello', role: 'reviewer', protocol: 1, token });
  assert.equal((await first.next('welcome')).enrolled, 'new');
  assert.equal(recordsOf(desk, 'reviewer enrolled').length, 1);
  const hashFile = join(state, 'reviewer');
  assert.equal(statSync(hashFile).mode & 0o777, 0o600);
  assert.ok(!readFileSync(hashFile, 'utf8').includes(token));
  const again = new OwnPeer(t, socket);
  again.send({ kind: 'hello', role: 'reviewer', protocol: 1, token });
  assert.equal((await again.next('welcome')).enrolled, 'known');

  const other = Buffer.alloc(32, 8).toString('base64url');
  assert.match(
    await refusal(t, socket, { kind: 'hello', role: 'reviewer', protocol: 1, token: other }),
    /another reviewer is enrolled.*remove/,
  );
  assert.match(await refusal(t, socket, { kind: 'hello', role: 'reviewer', protocol: 1 }), /32 random bytes/);
  // The last character's unused bits set: the same bytes, another text.
  const loose = `${token.slice(0, -1)}${String.fromCharCode(token.charCodeAt(42) + 1)}`;
  assert.match(
    await refusal(t, socket, { kind: 'hello', role: 'reviewer', protocol: 1, token: loose }),
    /32 random bytes/,
  );
  const shown = await first.next('refusal', ({ rule }) => rule === 'wrong token');
  assert.equal(shown.what, 'reviewer');
});

test('two newcomers at once: one enrols', async (t) => {
  const desk = await runDesk(t);
  const peers = [7, 8].map((byte) => {
    const peer = new OwnPeer(t, desk.places.socket);
    peer.send({
      kind: 'hello',
      role: 'reviewer',
      protocol: 1,
      token: Buffer.alloc(32, byte).toString('base64url'),
    });
    return peer;
  });
  const kinds = await Promise.all(
    peers.map((peer) =>
      until('an answer', () => peer.seen.find(({ kind }) => kind === 'welcome' || kind === 'refused')?.kind),
    ),
  );
  assert.deepEqual(new Set(kinds), new Set(['refused', 'welcome']));
});

test('a lost hash with an enrolment record enrols nobody', async (t) => {
  const desk = await runDesk(t);
  await reviewer(t, desk);
  await desk.desk.stop('restart');
  rmSync(join(desk.places.state, 'reviewer'));
  const next = await runDesk(t, { places: desk.places });
  const reason = await refusal(t, next.places.socket, {
    kind: 'hello',
    role: 'reviewer',
    protocol: 1,
    token,
  });
  assert.match(reason, /token hash is gone; remove .*state by hand/);
});

test('a family cannot forge an enrolment record, nor hide one', async (t) => {
  const desk = await runDesk(t);
  // Text of a peer reaches the journal only inside a JSON string.
  assert.match(
    await refusal(t, desk.places.socket, { kind: '"body":{"kind":"reviewer enrolled"' }),
    /must be hello/,
  );
  const first = new OwnPeer(t, desk.places.socket);
  first.send({ kind: 'hello', role: 'reviewer', protocol: 1, token });
  assert.equal((await first.next('welcome')).enrolled, 'new');
});

test('messages sent right behind the hello wait for the welcome', async (t) => {
  const desk = await runDesk(t);
  const peer = new OwnPeer(t, desk.places.socket);
  const hello = JSON.stringify({ kind: 'hello', role: 'reviewer', protocol: 1, token });
  peer.send(`${hello}\n{"kind":"answer","id":"none","choice":"once"}\n`);
  assert.equal((await peer.next('answered')).outcome, 'late');
  assert.deepEqual(
    peer.seen.map(({ kind }) => kind),
    ['welcome', 'snapshot'],
  );
});
