/** What a member may not do to processes outside by limits, scheduling and priorities (THREATS 5). */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordsOf } from '../desk/harness.ts';
import { inCheckout, Rig, until } from './rig.ts';

const python = '/usr/bin/python3';
const starve = inCheckout('test', 'attacks', 'starve.py');

test(
  'limits, scheduling and priorities of processes outside are refused and shown',
  { timeout: 300_000 },
  async (t) => {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    const victim = spawn('/bin/sleep', ['1000'], { stdio: 'ignore' });
    t.after(() => victim.kill('SIGKILL'));
    const pid = String(victim.pid);
    // Without the treatment: a process like the attacker does all of it.
    const plain = join(rig.home, 'plain.json');
    const alone = spawnSync(python, [starve, plain, pid], { input: '', encoding: 'utf8' });
    assert.equal(alone.status, 0, alone.stderr);
    const without = JSON.parse(readFileSync(plain, 'utf8'));
    for (const [deed, outcome] of Object.entries(without[pid])) assert.equal(outcome, 'done', deed);

    const out = join(rig.home, 'held.json');
    const desk = String(rig.desk()?.pid);
    rig.run(['--name', 'starve', '--', python, starve, out, pid, desk]);
    await review.decide('once');
    await until('its results', () => existsSync(out));
    const results = JSON.parse(readFileSync(out, 'utf8'));
    for (const who of [pid, desk]) {
      for (const [deed, outcome] of Object.entries(results[who]))
        assert.equal(outcome, 'EPERM', `${who} ${deed}`);
    }
    assert.deepEqual(results.own, without.own, 'on itself it may');
    const texts = recordsOf(rig, 'refusal').map(({ rule, text }) => `${rule}: ${text}`);
    for (const deed of ['limit', 'change the scheduling of', 'change the priority of', 'move the memory of'])
      assert.ok(
        texts.some((text) => text.startsWith('process outside') && text.includes(`${deed} process ${pid}`)),
        `${deed}: ${texts.join('; ')}`,
      );
  },
);
