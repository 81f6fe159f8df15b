/** How places are written in the tree and in the details. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ConnectionSeen } from '../../src/core/family/connections.ts';
import { connectionBadges, connectionFact, placeText } from '../../webview/connections.ts';
import { at, process } from './story.ts';

const seen = (more: Partial<ConnectionSeen> = {}): ConnectionSeen => ({
  action: 'connect',
  transport: 'tcp',
  endpoint: { kind: 'inet', address: '198.51.100.7', port: 22 },
  state: 'open',
  since: at('14:04:45'),
  ...more,
});
const listening = (address: string, port: number): ConnectionSeen =>
  seen({ action: 'listen', state: 'listening', endpoint: { kind: 'inet', address, port } });

test('a place is written as people write it', () => {
  const cases: [ConnectionSeen, string][] = [
    [seen(), '198.51.100.7:22'],
    [seen({ host: 'build.example' }), 'build.example:22'],
    [seen({ endpoint: { kind: 'inet', address: '2001:db8::7', port: 443 } }), '[2001:db8::7]:443'],
    [seen({ transport: 'icmp' }), '198.51.100.7'],
    [seen({ transport: 'unix', endpoint: { kind: 'unix', path: '/run/docker.sock' } }), '/run/docker.sock'],
    [seen({ transport: 'unix', endpoint: { kind: 'abstract', name: 'x' } }), '@x'],
    [listening('::', 8080), ':8080'],
    [listening('0.0.0.0', 0), ':any port'],
    [listening('127.0.0.1', 8080), '127.0.0.1:8080'],
    [listening('::1', 8080), '[::1]:8080'],
  ];
  for (const [connection, text] of cases) assert.equal(placeText(connection), text);
});

test('a row shows two places and counts the rest; no place, no badge', () => {
  assert.deepEqual(connectionBadges(process(1, 0, ['curl'])), []);
  assert.equal(connectionFact(process(1, 0, ['curl'])), undefined);
  const connections = [listening('::', 1), seen({ host: 'a.example' }), seen({ host: 'b.example' })];
  assert.equal(connectionBadges(process(1, 0, ['curl'], { connections: [seen()] })).length, 1);
  assert.equal(connectionBadges(process(1, 0, ['curl'], { connections })).length, 3);
});

test('the details say what became of each place, newest first, and what is not listed', () => {
  const connections = [
    seen({ state: 'failed', error: 'ECONNREFUSED', host: 'build.example' }),
    seen({
      state: 'failed',
      error: 'EPIPE',
      transport: 'unix',
      endpoint: { kind: 'unix', path: '/run/\u202ex' },
    }),
    seen({ transport: 'udp', action: 'send' }),
    seen({ state: 'refused', host: 'drop.example' }),
  ];
  const fact = connectionFact(process(1, 0, ['curl'], { connections, connectionsUnlisted: 1 }));
  assert.deepEqual(fact?.text.split('\n  ').slice(1), [
    `drop.example:22 tcp, refused ${at('14:04:45')}`,
    `198.51.100.7:22 udp, sent ${at('14:04:45')}`,
    `/run/⟦RLO⟧x unix, failed, EPIPE, ${at('14:04:45')}`,
    `build.example:22 tcp, failed, nothing answers there (ECONNREFUSED), ${at('14:04:45')}`,
    '1 older place not listed; the record has them.',
  ]);
});
