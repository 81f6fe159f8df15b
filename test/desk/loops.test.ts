/** What is listed, what is counted, and when the count is told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Counted, Loops } from '../../src/desk/loops.ts';

interface Of {
  readonly session: string;
}

function loops() {
  const time = { now: 0 };
  const told: Counted<Of>[] = [];
  const made = new Loops<Of>(
    { mostListed: 2, mostNames: 3 },
    (counted) => told.push(counted),
    () => time.now,
  );
  return { loops: made, told, time };
}
const one = { session: 'a' };

test('so many a minute are listed, the rest is told as a number when the minute is over', () => {
  const { loops: made, told, time } = loops();
  assert.deepEqual(
    Array.from({ length: 5 }, () => made.isListed(one, 'x')),
    [true, true, false, false, false],
  );
  assert.equal(made.isListed({ session: 'b' }, 'x'), true, 'another session');
  time.now = 59_999;
  made.sweep();
  assert.equal(told.length, 0);
  time.now = 60_000;
  made.sweep();
  assert.deepEqual(
    told.map(({ of, name, count }) => [of.session, name, count]),
    [['a', 'x', 3]],
  );
  assert.equal(made.isListed(one, 'x'), true);
});

test('names that are invented are counted together; the end of a session closes its minutes', () => {
  const { loops: made, told } = loops();
  for (let index = 0; index < 10; index += 1) made.isListed(one, `name ${index}`);
  made.isListed({ session: 'b' }, 'x');
  made.ending('a');
  assert.deepEqual(
    told.map(({ name, count }) => [name, count]),
    [['', 5]],
  );
  made.closeAll();
  assert.equal(told.length, 1, 'nothing was left out of the other session');
});
