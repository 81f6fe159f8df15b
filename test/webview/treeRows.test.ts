import assert from 'node:assert/strict';
import test from 'node:test';
import { parentOf, statusSummary, treeRows, type TreeRow } from '../../webview/treeRows.ts';
import { at, ended, process, request, session } from './story.ts';

const byDefault = (_key: string, isExpanded: boolean): boolean => isExpanded;
const everything = (): boolean => true;
const line = (row: TreeRow): string => {
  if (row.kind === 'family') return `${row.level} ${row.session.server}`;
  if (row.kind === 'group') return `${row.level} ×${row.processes.length}`;
  return `${row.level} ${row.process.pid}${row.isTopOfRequest ? ' #' : ''}`;
};
const server = process(10, 1, ['node']);
const child = (pid: number, ppid: number, clock: string, more = {}) =>
  process(pid, ppid, ['git'], { startedAt: at(clock), ...more });

test('a detached child stays under the ended parent that started it', () => {
  const rows = treeRows(
    [
      session({
        processes: [
          child(12, 11, '14:02:01', { detached: true }),
          child(11, 10, '14:02:00', ended()),
          server,
        ],
      }),
    ],
    byDefault,
  );
  assert.deepEqual(rows.map(line), ['1 repo-tools', '2 10', '3 11', '4 12']);
});

test('a reused pid keeps each child with the parent it was born of', () => {
  const old = child(11, 10, '14:02:00', ended());
  const young = child(11, 10, '14:03:00');
  const all = [server, old, young];
  assert.equal(parentOf(child(12, 11, '14:02:30'), all), old);
  assert.equal(parentOf(child(13, 11, '14:03:30'), all), young);
  assert.equal(parentOf(child(14, 11, '14:03:30', { parentStartedAt: at('14:02:00') }), all), old);
  assert.equal(parentOf(child(15, 11, '14:03:30', { parentStartedAt: at('14:01:59') }), all), undefined);
});

test('processes that name each other as parents are all shown, once', () => {
  const rows = treeRows(
    [
      session({
        processes: [child(20, 21, '14:02:00'), child(21, 20, '14:02:00'), child(22, 22, '14:02:00')],
      }),
    ],
    everything,
  );
  assert.deepEqual(rows.map(line), ['1 repo-tools', '2 20', '3 21', '2 22']);
});

test('the request stands on the topmost process of that request only', () => {
  const seven = { request: request(7, 'run_test') };
  const rows = treeRows(
    [
      session({
        processes: [
          server,
          child(11, 10, '14:02:00', seven),
          child(12, 11, '14:02:01', seven),
          child(13, 12, '14:02:02', { request: request(8, 'other') }),
          child(14, 10, '14:02:03', { request: { ...request(9, 'x'), attribution: 'outside' } }),
        ],
      }),
    ],
    byDefault,
  );
  assert.deepEqual(rows.slice(1).map(line), ['2 10', '3 11 #', '4 12', '5 13 #', '3 14']);
});

test('three ended siblings of one program and request are one row, closed at first', () => {
  const done = [0, 1, 2].map((index) => child(11 + index, 10, `14:02:0${index}`, ended()));
  const of = (expand: typeof byDefault) =>
    treeRows([session({ processes: [server, ...done, child(20, 10, '14:03:00')] })], expand).map(line);
  assert.deepEqual(of(byDefault), ['1 repo-tools', '2 10', '3 ×3', '3 20']);
  assert.deepEqual(of(everything), ['1 repo-tools', '2 10', '3 ×3', '4 11', '4 12', '4 13', '3 20']);
});

test('what was refused, detached or has children is never folded into others', () => {
  const done = [
    child(11, 10, '14:02:00', ended()),
    child(12, 10, '14:02:01', { ...ended(), refusedBy: 'denied by reviewer' }),
    child(13, 10, '14:02:02', { ...ended(), detached: true }),
    child(14, 10, '14:02:03', ended()),
    child(15, 14, '14:02:04'),
  ];
  const rows = treeRows([session({ processes: [server, ...done] })], byDefault);
  assert.ok(rows.every((row) => row.kind !== 'group'));
});

test('places are told for readers', () => {
  const rows = treeRows(
    [
      session({ processes: [server, child(11, 10, '14:02:00'), child(12, 10, '14:02:01')] }),
      session({ session: 'x' }),
    ],
    byDefault,
  );
  assert.deepEqual(
    rows.map((row) => [row.setSize, row.position, row.expanded]),
    [
      [2, 1, true],
      [1, 1, true],
      [2, 1, null],
      [2, 2, null],
      [2, 2, null],
    ],
  );
});

test('an ended family is closed and counts what is no longer listed', () => {
  const [row] = treeRows(
    [session({ state: 'ended', endedUnlisted: 5, processes: [process(10, 1, ['node'], ended())] })],
    byDefault,
  );
  assert.ok(row?.kind === 'family');
  assert.deepEqual([row.expanded, row.alive, row.ended], [false, 0, 6]);
});

test('statuses of a group are counted', () => {
  const with_ = (status: string) => process(1, 1, ['a'], ended(status));
  assert.equal(statusSummary([with_('exit 0'), with_('exit 0')]), 'all exit 0');
  assert.equal(statusSummary([with_('exit 0'), with_('exit 1'), with_('exit 0')]), '2 exit 0, 1 exit 1');
});

test('an ended process whose connection was refused is not hidden among others', () => {
  const refused = {
    connections: [
      {
        action: 'connect',
        transport: 'tcp',
        endpoint: { kind: 'inet', address: '192.0.2.66', port: 443 },
        state: 'refused',
        since: at('14:02:00'),
      },
    ],
  } as const;
  const processes = [1, 2, 3, 4].map((second) =>
    child(20 + second, 10, `14:02:0${second}`, { ...ended(), ...(second === 4 ? refused : {}) }),
  );
  const rows = treeRows([session({ processes: [server, ...processes] })], byDefault);
  assert.deepEqual(rows.map(line), ['1 repo-tools', '2 10', '3 ×3', '3 24']);
});
