/** A server in a process namespace of its own: `"isolation": "process namespace"`. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { namespaceLaunchers } from '../../src/supervisor/processNamespace.ts';
import { readStat } from '../../src/watch/proc.ts';
import { recordsOf } from '../desk/harness.ts';
import { isAlive, isExec, type Key, Rig, Run, type Started, toolServer, until } from './rig.ts';

const possible = await namespaceLaunchers();
const skip = possible.kind === 'refused' ? `no process namespaces here: ${possible.reason}` : false;

async function isolated(t: TestContext): Promise<Started & { readonly card: string }> {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  mkdirSync(rig.places.config, { recursive: true, mode: 0o700 });
  const isolation = 'process namespace';
  const servers = { tools: { command: process.execPath, args: [toolServer], isolation } };
  writeFileSync(rig.places.serversFile, JSON.stringify({ servers }));
  const run = rig.run(['tools']);
  const ready = run.ready();
  const { session, rows } = await review.decide('once');
  await ready;
  return { rig, review, run, session, card: JSON.stringify(rows) };
}

/** Numbers of a process from this namespace inwards. */
function numbersOf(pid: number): number[] {
  const line = /^NSpid:\s+(.*)$/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '';
  return line.split(/\s+/u).map(Number);
}

/** Starts one helper that stays, allowed by the reviewer. */
async function helper({ rig, review, run }: Started): Promise<Key> {
  const call = run.call('background', { command: '/usr/bin/setsid', args: ['/bin/sleep', '987'] });
  await review.decide('once', isExec);
  await run.answerTo(call);
  await review.decide('once', (question) => isExec(question) && /sleep/u.test(question.headline));
  const confirmed = await until('sleep runs', () =>
    recordsOf(rig, 'confirmed').find(({ exe }) => exe.endsWith('/sleep')),
  );
  const key = rig.members().find(({ pid }) => pid === confirmed.pid);
  assert.ok(key);
  return key;
}

test(
  'an ordinary session: card, a call that starts a program, its attribution, Contain with proof',
  { skip },
  async (t) => {
    const all = await isolated(t);
    const { rig, review, run, session, card } = all;
    assert.match(card, /Launched through/u);
    assert.match(card, /setpriv --pdeathsig KILL -- .*unshare --user .*--pid/u);
    assert.match(card, /its processes end with the supervisor, even when that is killed/u);
    assert.equal(review.questions().length, 1, 'the launchers are approved with the start');

    const call = run.call('run', { command: '/usr/bin/touch', args: [join(rig.home, 'ran')] });
    const question = await review.decide('once', isExec);
    assert.match(JSON.stringify(question.rows), /run/u);
    assert.equal(Run.value(await run.answerTo(call)).code, 0);
    const exec = recordsOf(rig, 'released').find(({ exe }) => exe.endsWith('/touch'));
    assert.equal(exec?.request?.attribution, 'certain');

    const kept = await helper(all);
    assert.equal(numbersOf(kept.pid).length, numbersOf(process.pid).length + 1);
    const ps = JSON.parse(rig.command('ps', '--json').stdout) as {
      sessions: { processes: { pid: number }[] }[];
    };
    assert.ok(
      ps.sessions[0]?.processes.some(({ pid }) => pid === kept.pid),
      'by the number it has here',
    );

    const contained = rig.command('contain', session, '--json');
    assert.equal(contained.status, 0, contained.stderr);
    const certificate = JSON.parse(contained.stdout) as { survivors: number; proved: boolean };
    assert.equal(certificate.survivors, 0);
    assert.equal(certificate.proved, true);
    assert.equal(rig.members().some(isAlive), false);
    assert.equal(recordsOf(rig, 'refusal').length, 0, JSON.stringify(recordsOf(rig, 'refusal')));
  },
);

test('the client ends it: the server closes by itself, proved', { skip }, async (t) => {
  const { review, run } = await isolated(t);
  run.child.stdin.end();
  assert.equal((await run.ended()).code, 0);
  const { certificate } = await review.find('certificate');
  assert.equal(certificate.proved, true);
  assert.equal(certificate.survivors, 0);
});

test(
  'supervisor and desk are both killed: nothing of the family is alive within two seconds',
  { skip },
  async (t) => {
    for (let round = 0; round < 5; round += 1) {
      const all = await isolated(t);
      const { rig } = all;
      await helper(all);
      const members = rig.members();
      assert.ok(members.filter(isAlive).length >= 3);
      const [root] = members;
      assert.ok(root);
      const supervisor = readStat(root.pid)?.ppid ?? 0;
      const desk = rig.desk();
      assert.ok(supervisor > 1 && desk !== undefined);
      process.kill(desk.pid, 'SIGKILL');
      process.kill(supervisor, 'SIGKILL');
      const killedAt = Date.now();
      await until('the family has ended', () => !members.some(isAlive) || Date.now() - killedAt > 2000);
      assert.deepEqual(members.filter(isAlive), [], `round ${round}`);
    }
  },
);

test('another isolation than the one there is: refused with the place, nothing is asked', async (t) => {
  const rig = Rig.make(t);
  mkdirSync(rig.places.config, { recursive: true, mode: 0o700 });
  const servers = { tools: { command: process.execPath, isolation: 'container' } };
  writeFileSync(rig.places.serversFile, JSON.stringify({ servers }));
  const run = rig.run(['tools']);
  run.child.stdin.end();
  assert.equal((await run.ended()).code, 3);
  assert.match(run.stderr, /servers\.tools\.isolation: it takes "process namespace"/u);
});
