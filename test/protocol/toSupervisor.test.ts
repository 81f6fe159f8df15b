import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readToSupervisor, type ToSupervisor } from '../../src/protocol/toSupervisor.ts';

const startedAt = '2026-01-02T03:04:05.678Z';
const decision = { kind: 'decision', ref: 'start', allow: true, text: 'allowed' } as const;
const evidence = { kind: 'evidence', folder: '/e', manifest: 'aa', gaps: ['one'], evidenceMs: 1.5 } as const;
const known: readonly ToSupervisor[] = [
  { kind: 'welcome', protocol: 1 },
  { kind: 'refused', reason: 'no' },
  { kind: 'opened', session: '0123456789' },
  decision,
  { ...decision, scope: 'session' },
  { ...decision, allow: false, rule: 'no answer in time', rejoin: true },
  { kind: 'contain', by: 'a person' },
  { kind: 'stopProcess', pid: 7, startedAt },
  evidence,
  { ...evidence, folder: null, manifest: null, gaps: [] },
];

test('every message of a desk is read as it is', () => {
  for (const message of known) assert.equal(readToSupervisor(message), message);
});

test('a field more, a field less or one of another type is no message', () => {
  for (const message of known) {
    assert.equal(readToSupervisor({ ...message, more: 1 }), undefined);
    for (const field of Object.keys(message)) {
      const { [field]: value, ...without } = message as unknown as Record<string, unknown>;
      const isOptional = message.kind === 'decision' && ['scope', 'rule', 'rejoin'].includes(field);
      assert.equal(readToSupervisor(without) === undefined, !isOptional, `${message.kind} without ${field}`);
      // A type that no field has.
      assert.equal(
        readToSupervisor({ ...without, [field]: { value } }),
        undefined,
        `${message.kind} ${field}`,
      );
    }
  }
});

test('what is out of a field’s range is no message', () => {
  for (const wrong of [
    null,
    'welcome',
    [],
    {},
    { kind: 'toString' },
    { kind: '__proto__' },
    { kind: 'welcome', protocol: 1.5 },
    { ...decision, scope: 'always' },
    { ...decision, rule: 'a rule of tomorrow' },
    { kind: 'stopProcess', pid: 0, startedAt },
    { kind: 'stopProcess', pid: 7, startedAt: 'yesterday' },
    { ...evidence, gaps: ['one', 2] },
    { ...evidence, evidenceMs: Number.NaN },
    // JSON.parse makes such a field an own one; it must count as unknown, not as the prototype.
    JSON.parse('{"kind":"contain","by":"x","__proto__":{}}') as unknown,
  ]) {
    assert.equal(readToSupervisor(wrong), undefined, JSON.stringify(wrong));
  }
});
