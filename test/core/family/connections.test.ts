/** The list of what a process connected to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Connected,
  type ConnectionEvent,
  mostConnections,
  withConnection,
} from '../../../src/core/family/connections.ts';

const at = '2026-03-12T13:48:02.000Z';
const later = '2026-03-12T13:48:03.000Z';

function event(change: Partial<ConnectionEvent> = {}): ConnectionEvent {
  return {
    action: 'connect',
    transport: 'tcp',
    endpoint: { kind: 'inet', address: '198.51.100.7', port: 22 },
    step: 'released',
    ...change,
  };
}

function fold(events: readonly ConnectionEvent[], from: Connected = { state: 'running' }): Connected {
  return events.reduce<Connected>((process, next) => withConnection(process, next, at), from);
}

test('each step has its state, and the last one stands', () => {
  const cases: [Partial<ConnectionEvent>, string][] = [
    [{ step: 'held' }, 'held'],
    [{ step: 'released' }, 'connecting'],
    [{ step: 'done' }, 'open'],
    [{ step: 'refused' }, 'refused'],
    [{ step: 'failed', error: 'ETIMEDOUT' }, 'failed'],
    [{ step: 'released', action: 'send', transport: 'udp' }, 'open'],
    [{ step: 'released', transport: 'icmp' }, 'open'],
    [{ step: 'released', action: 'listen' }, 'listening'],
    [{ step: 'done', action: 'listen' }, 'listening'],
  ];
  for (const [change, state] of cases) {
    const { connections } = fold([event({ ...change, step: 'held' }), event(change)]);
    assert.deepEqual(
      connections?.map((seen) => [seen.state, seen.error]),
      [[state, change.error]],
      JSON.stringify(change),
    );
  }
});

test('other places stand beside each other, the newest last', () => {
  const first = event();
  const others = [
    event({ transport: 'udp' }),
    event({ host: 'build.example' }),
    event({ endpoint: { kind: 'inet', address: '198.51.100.7', port: 23 } }),
    event({ endpoint: { kind: 'unix', path: '/run/x.sock' }, transport: 'unix' }),
    event({ endpoint: { kind: 'abstract', name: '/run/x.sock' }, transport: 'unix' }),
  ];
  assert.equal(fold([first, ...others]).connections?.length, 6);
  const again = withConnection(fold([first, ...others]), event({ step: 'done' }), later);
  assert.equal(again.connections?.length, 6);
  assert.deepEqual(again.connections?.at(-1), {
    action: 'connect',
    transport: 'tcp',
    endpoint: first.endpoint,
    state: 'open',
    since: later,
  });
});

test('a process is held as long as one of its connections is', () => {
  const one = event({ step: 'held' });
  const two = event({ step: 'held', host: 'other.example' });
  assert.equal(fold([one, two]).state, 'held');
  assert.equal(fold([one, two, event({ step: 'refused' })]).state, 'held');
  const both = fold([one, two, event({ step: 'refused' }), event({ host: 'other.example' })]);
  assert.equal(both.state, 'running');
  // Held for another reason: what became of an earlier connection changes nothing.
  assert.equal(fold([event({ step: 'done' })], { state: 'held' }).state, 'held');
  assert.equal(fold([one], { state: 'ended' }).state, 'ended');
});

test('the list stays short: the oldest are counted, what is held is listed', () => {
  const port = (number: number) =>
    ({ endpoint: { kind: 'inet', address: '10.0.0.1', port: number } }) as const;
  const held = event({ step: 'held' });
  const many = Array.from({ length: mostConnections + 4 }, (_, index) => event(port(index)));
  const { connections, connectionsUnlisted } = fold([held, ...many]);
  assert.equal(connections?.length, mostConnections);
  assert.equal(connectionsUnlisted, 5);
  assert.equal(connections?.[0]?.state, 'held');
  assert.deepEqual(connections?.at(-1)?.endpoint, port(mostConnections + 3).endpoint);
  const allHeld = fold(
    Array.from({ length: mostConnections + 1 }, (_, index) => event({ step: 'held', ...port(index) })),
  );
  assert.equal(allHeld.connections?.length, mostConnections);
  assert.equal(fold([held]).connectionsUnlisted, undefined);
});
