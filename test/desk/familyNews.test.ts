/** A family that starts programs for ever: counted from some point on, and what is released always written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FamilyNews, type FamilyNewsParts } from '../../src/desk/familyNews.ts';
import type { RolePort } from '../../src/desk/role.ts';
import type { Session } from '../../src/desk/sessions.ts';
import type { RecordBody } from '../../src/journal/record.ts';
import { inMs } from './harness.ts';

test('beyond the limit births, programs and ends are a number, releases still records', () => {
  const written: RecordBody[] = [];
  const gaps: string[] = [];
  const parts = {
    records: { noteWithNext: (body: RecordBody) => written.push(body) },
    sessions: {
      memberBorn: () => undefined,
      memberEnded: () => undefined,
      update: () => undefined,
      countGap: (_session: Session, what: string) => gaps.push(what),
    },
    census: { addMember: () => undefined, removeMember: () => undefined },
    table: new Map(),
    persistence: { ran: () => undefined },
  } as unknown as FamilyNewsParts;
  const news = new FamilyNews({} as RolePort, parts, 3);
  const view = { processes: [] };
  const session = { id: 's', members: new Map(), view } as unknown as Session;
  for (let pid = 1; pid <= 5; pid += 1) {
    const key = { pid, startedAt: inMs(0) };
    const exec = { ...key, exe: '/bin/true', argv: [], cwd: '/', at: inMs(0) };
    news.exec(session, { kind: 'exec', step: 'released', because: 'seen before', ...exec });
    news.exec(session, { kind: 'exec', step: 'confirmed', ...exec });
    news.end(session, { kind: 'end', ...key, status: 'exit 0', at: inMs(0) });
  }
  assert.deepEqual(
    written.map(({ kind }) => kind),
    ['released', 'confirmed', 'end', 'released', 'confirmed', 'released', 'released', 'released'],
  );
  assert.deepEqual(new Set(gaps), new Set(['births, programs and ends not recorded']));
  assert.equal(gaps.length, 7);
});
