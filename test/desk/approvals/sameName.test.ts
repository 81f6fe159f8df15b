/** For how long, and for whom, one answer counts for the other addresses of a name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Matter } from '../../../src/desk/approvals/matter.ts';
import { SameName } from '../../../src/desk/approvals/sameName.ts';
import type { Session } from '../../../src/desk/sessions.ts';

const session = {} as Session;
const matter = (address: string, change: { pid?: number; joins?: string } = {}): Matter =>
  ({
    facts: { pid: change.pid ?? 7, startedAt: '2026-03-12T14:00:00.000Z' },
    joins: change.joins ?? 'ssh to build.example 22',
    address: { destination: 'to build.example 22', address },
  }) as Matter;
const verdict = { kind: 'deny', rule: 'denied by reviewer' } as const;

test('the same process, program and name, and only an address that was not tried', () => {
  const same = new SameName(() => 0);
  same.remember(session, [matter('a'), matter('b')], verdict, 'q');
  assert.equal(same.find(session, matter('a')), undefined);
  assert.equal(same.find(session, matter('b')), undefined);
  assert.equal(same.find(session, matter('c', { pid: 8 })), undefined);
  assert.equal(same.find(session, matter('c', { joins: 'curl to build.example 22' })), undefined);
  assert.equal(same.find({} as Session, matter('c')), undefined);
  assert.equal(same.find(session, { ...matter('c'), address: undefined }), undefined);
  assert.equal(same.find(session, matter('c'))?.question, 'q');
  assert.equal(same.find(session, matter('c')), undefined);
});

test('it ends with the first address that answers, and after three minutes', () => {
  let now = 0;
  const same = new SameName(() => now);
  const process = { pid: 7, startedAt: '2026-03-12T14:00:00.000Z' };
  same.remember(session, [matter('a')], verdict, 'q');
  same.reached(session, process, 'to other.example 22');
  same.reached(session, { ...process, pid: 70 }, 'to build.example 22');
  assert.equal(same.find(session, matter('b'))?.question, 'q');
  same.reached(session, process, 'to build.example 22');
  assert.equal(same.find(session, matter('c')), undefined);
  same.remember(session, [matter('a')], verdict, 'q2');
  now = 179_999;
  assert.equal(same.find(session, matter('d'))?.question, 'q2');
  now = 180_000;
  assert.equal(same.find(session, matter('e')), undefined);
});
