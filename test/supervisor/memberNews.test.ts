/** What the main thread hears of births and ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberNews } from '../../src/supervisor/memberNews.ts';
import type { FromWatch } from '../../src/supervisor/threads.ts';
import type { Member } from '../../src/watch/seccomp/members.ts';

const at = '2026-01-02T03:04:05.678Z';

function member(pid: number): Member {
  return {
    pid,
    startTicks: pid,
    startedAt: at,
    ppid: 1,
    parent: undefined,
    request: undefined,
    pidfd: undefined,
    exitCode: undefined,
    detached: false,
  };
}

const key = (pid: number) => ({ pid, startTicks: pid, startedAt: at });

function news(): { readonly news: MemberNews; readonly said: FromWatch[] } {
  const said: FromWatch[] = [];
  return { news: new MemberNews((message) => said.push(message)), said };
}

test('births and ends travel together; who was born and has ended meanwhile is no news', () => {
  const { news: gathered, said } = news();
  const [one, two] = [member(1), member(2)];
  gathered.birth(one);
  gathered.birth(two);
  gathered.end(two);
  assert.deepEqual(said, []);
  gathered.flush();
  gathered.end(one);
  gathered.flush();
  gathered.flush();
  assert.deepEqual(said, [
    { kind: 'members', born: [key(1)], gone: [] },
    { kind: 'members', born: [], gone: [key(1)] },
  ]);
});

test('nobody has to ask', (_t, done) => {
  const gathered = new MemberNews((message) => {
    assert.deepEqual(message, { kind: 'members', born: [key(1)], gone: [] });
    done();
  });
  gathered.birth(member(1));
});

test('once the family ends, each is told at once', () => {
  const { news: gathered, said } = news();
  gathered.birth(member(1));
  gathered.tellAtOnce();
  gathered.birth(member(2));
  assert.equal(said.length, 2);
});
