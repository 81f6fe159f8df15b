/** Which connections are one place, and which moments need a person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ConnectionLook,
  type ConnectionState,
  destinationKey,
  judgeConnection,
} from '../../../src/core/transition/judgeConnection.ts';

const inet = (address: string, port = 443) => ({ kind: 'inet', address, port }) as const;

test('one name is one place as long as it leads to the same kind of place', () => {
  const key = (address: string, host?: string) =>
    destinationKey({ action: 'connect', endpoint: inet(address), ...(host === undefined ? {} : { host }) });
  const shown = key('198.51.100.7', 'build.example');
  assert.equal(key('2001:db8::7', 'build.example'), shown);
  for (const inside of ['127.0.0.1', '::1', '10.0.0.5', 'fe80::1', '::ffff:127.0.0.1', '169.254.169.254'])
    assert.notEqual(key(inside, 'build.example'), shown, inside);
  assert.notEqual(key('198.51.100.7'), shown);
  assert.notEqual(key('198.51.100.7'), key('198.51.100.8'));
  const listen = destinationKey({ action: 'listen', endpoint: inet('198.51.100.7') });
  assert.notEqual(listen, key('198.51.100.7'));
  const send = destinationKey({ action: 'send', endpoint: inet('198.51.100.7') });
  assert.equal(send, key('198.51.100.7'));
});

test('what is released, asked or refused', () => {
  const look: ConnectionLook = { endpoint: inet('198.51.100.7'), otherEnd: 'outside', key: 'k' };
  const state: ConnectionState = { ending: false, localOnly: false, allowed: new Set() };
  const forbidden = { meaning: { kind: 'forbidden', rule: 'display' } } as const;
  const cases: [Partial<ConnectionLook>, Partial<ConnectionState>, string][] = [
    [{}, {}, 'ask'],
    [{}, { allowed: new Set(['k']) }, 'release'],
    [{}, { ending: true, allowed: new Set(['k']) }, 'refuse'],
    [{}, { localOnly: true, allowed: new Set(['k']) }, 'refuse'],
    [{ otherEnd: 'own family' }, {}, 'release'],
    [{ otherEnd: 'nobody' }, {}, 'release'],
    [forbidden, { allowed: new Set(['k']) }, 'refuse'],
    [{ endpoint: { kind: 'abstract', name: 'x' } }, { allowed: new Set(['k']) }, 'refuse'],
  ];
  for (const [lookChange, stateChange, kind] of cases) {
    const judged = judgeConnection({ ...look, ...lookChange }, { ...state, ...stateChange });
    assert.equal(judged.kind, kind, JSON.stringify([lookChange, stateChange]));
  }
});
