/** The journal's lines: order, durability, full disks. */
import assert from 'node:assert/strict';
import {
  constants,
  existsSync,
  fdatasync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { hasEnrolmentRecord } from '../../src/journal/enrolmentRecord.ts';
import { type FileCalls, LineWriter, openLineJournal } from '../../src/journal/lineWriter.ts';
import { journalRecord, type RecordBody } from '../../src/journal/record.ts';
import { JournalError } from '../../src/journal/writer.ts';

const body = (reason: string): RecordBody => ({ kind: 'desk ended', reason });

function makeDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'kw-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'records');
}

function read(directory: string): { sequence: number; reason: string }[] {
  return readdirSync(directory)
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => journalRecord.parse(JSON.parse(line)))
    .map(({ sequence, body: found }) => ({
      sequence,
      reason: 'reason' in found ? found.reason : found.kind,
    }));
}

const calls: FileCalls = { write: writeSync, truncate: ftruncateSync, sync: fdatasync };

test('records are numbered lines in a file of this user alone, in call order', async (t) => {
  const directory = makeDirectory(t);
  const journal = openLineJournal(directory);
  const durable = journal.appendDurable(body('1'));
  journal.append(body('2'));
  await Promise.all([durable, journal.appendDurable(body('3'))]);
  assert.deepEqual(
    read(directory),
    ['1', '2', '3'].map((reason, index) => ({ sequence: index + 1, reason })),
  );
  const [name] = readdirSync(directory);
  assert.equal(statSync(join(directory, name ?? '')).mode & 0o777, 0o600);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  journal.close();
  assert.throws(() => journal.append(body('4')), { code: 'closed' });
  journal.close();
});

test('several that wait share one sync; one that came later waits for the next', async (t) => {
  let syncs = 0;
  const pending: (() => void)[] = [];
  const journal = openLineJournal(makeDirectory(t), {
    ...calls,
    sync: (fd, done) => {
      syncs += 1;
      pending.push(() => fdatasync(fd, done));
    },
  });
  const done: string[] = [];
  const durable = (reason: string) => journal.appendDurable(body(reason)).then(() => done.push(reason));
  const first = durable('1');
  const rest = [durable('2'), durable('3')];
  assert.equal(syncs, 1);
  pending.shift()?.();
  await first;
  assert.deepEqual(done, ['1']);
  assert.equal(syncs, 2);
  pending.shift()?.();
  await Promise.all(rest);
  assert.equal(syncs, 2);
  journal.close();
});

test('a full device (/dev/full): append throws, durable rejects', async () => {
  const journal = new LineWriter(openSync('/dev/full', constants.O_WRONLY));
  const isFull = (error: unknown) =>
    error instanceof JournalError && error.code === 'write failed' && /ENOSPC/.test(error.message);
  assert.throws(() => journal.append(body('1')), isFull);
  await assert.rejects(journal.appendDurable(body('2')), isFull);
  journal.close();
});

test('a short write is cut away, the loss is written when writing works again', (t) => {
  const directory = makeDirectory(t);
  let left = Number.POSITIVE_INFINITY;
  const journal = openLineJournal(directory, {
    ...calls,
    write: (fd, bytes) => {
      if (left === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      const count = writeSync(fd, bytes.subarray(0, Math.min(left, bytes.length)));
      left -= count;
      return count;
    },
  });
  journal.append(body('1'));
  left = 20;
  assert.throws(() => journal.append(body('2')), { code: 'write failed' });
  assert.throws(() => journal.append(body('3')), { code: 'write failed' });
  assert.deepEqual(
    read(directory).map(({ reason }) => reason),
    ['1'],
  );
  left = Number.POSITIVE_INFINITY;
  journal.append(body('4'));
  assert.deepEqual(read(directory), [
    { sequence: 1, reason: '1' },
    { sequence: 2, reason: 'ENOSPC: no space left on device' },
    { sequence: 3, reason: '4' },
  ]);
  journal.close();
});

test('several in one write: all of them or none, and all of them are counted as lost', (t) => {
  const directory = makeDirectory(t);
  let left = Number.POSITIVE_INFINITY;
  let writes = 0;
  const journal = openLineJournal(directory, {
    ...calls,
    write: (fd, bytes) => {
      if (left === 0) throw new Error('ENOSPC');
      writes += 1;
      const count = writeSync(fd, bytes.subarray(0, Math.min(left, bytes.length)));
      left -= count;
      return count;
    },
  });
  journal.appendAll([body('1'), body('2')]);
  assert.equal(writes, 1);
  left = 120; // the first of the two fits
  assert.throws(() => journal.appendAll([body('3'), body('4')]), { code: 'write failed' });
  left = Number.POSITIVE_INFINITY;
  journal.append(body('5'));
  assert.deepEqual(
    read(directory).map(({ sequence, reason }) => [sequence, reason]),
    [
      [1, '1'],
      [2, '2'],
      [3, 'ENOSPC'],
      [4, '5'],
    ],
  );
  const [name] = readdirSync(directory);
  assert.match(readFileSync(join(directory, name ?? ''), 'utf8'), /"lost":2/u);
  journal.close();
});

test('after a failed sync nothing is vouched for', async (t) => {
  const journal = openLineJournal(makeDirectory(t), {
    ...calls,
    sync: (_fd, done) => setImmediate(() => done(new Error('EIO: i/o error'))),
  });
  await assert.rejects(journal.appendDurable(body('1')), { code: 'sync failed' });
  assert.throws(() => journal.append(body('2')), { code: 'sync failed' });
  await assert.rejects(journal.appendDurable(body('3')), { code: 'sync failed' });
  journal.close();
});

test('a folder that cannot be made', () => {
  assert.throws(() => openLineJournal('/dev/null/nowhere'), { code: 'open failed' });
});

test('an enrolment record is found by its own record only', (t) => {
  const directory = makeDirectory(t);
  assert.equal(hasEnrolmentRecord(directory), false);
  const journal = openLineJournal(directory);
  journal.append(body('"body":{"kind":"reviewer enrolled"'));
  assert.equal(hasEnrolmentRecord(directory), false);
  journal.append({ kind: 'reviewer enrolled', pid: 1, startTicks: 1, exe: null });
  journal.close();
  assert.equal(hasEnrolmentRecord(directory), true);
  assert.equal(existsSync(directory), true);
});
