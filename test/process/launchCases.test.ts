/** What was reported of other launchers about how a server is started, by real starts of `kinwatch run`. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Message, recordsOf } from '../desk/harness.ts';
import { Rig, Run, toolServer } from './rig.ts';

const slow = { timeout: 300_000 };

function configure(rig: Rig, entry: object): void {
  mkdirSync(rig.places.config, { recursive: true });
  writeFileSync(rig.places.serversFile, JSON.stringify({ servers: { tools: entry } }));
}

function row(question: Message, label: string): string {
  return question.rows.find((one: Message) => one.label === label)?.value ?? '';
}

test('field case 31: a command that the client’s PATH lacks', slow, async (t) => {
  const rig = Rig.make(t);
  configure(rig, { command: 'tool-of-my-shell' });
  const run = rig.run(['tools'], { PATH: '/usr/bin:/bin' });
  const { message } = (await run.initialize()).error;
  assert.ok(
    message.includes(
      `command not found: tool-of-my-shell is in none of the 2 entries of PATH on ${hostname()}`,
    ),
  );
  assert.match(
    message,
    /: \/usr\/bin:\/bin\. .*add "path": "login shell" to servers\.tools in \S+servers\.jsonc/u,
  );
  assert.equal((await run.ended()).code, 3);
  assert.equal(recordsOf(rig, 'session opened').length, 0, 'nothing was asked, nothing is tried again');
});

test(
  'field cases 37 and 40: a relative command starts from its configuration; the card shows where, and on which machine',
  slow,
  async (t) => {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    configure(rig, { command: './tools/srv' });
    const folder = join(rig.places.config, 'tools');
    mkdirSync(folder);
    // Another one where the client happens to be.
    mkdirSync(join(rig.home, 'tools'));
    for (const place of [folder, join(rig.home, 'tools')]) copyFileSync('/usr/bin/cat', join(place, 'srv'));
    const run = rig.run(['tools']);
    const answer = run.initialize();
    const question = await review.decide('deny');
    assert.match(
      row(question, 'Runs'),
      new RegExp(`^${folder}/srv\n.*relative to ${rig.places.config}, the folder of`, 'u'),
    );
    assert.ok(row(question, 'In').includes(`, on ${hostname()}`), row(question, 'In'));
    assert.match((await answer).error.message, /denied/u);
  },
);

test(
  'field case 38: with and without env in the configuration, nothing else of the client’s reaches the server',
  slow,
  async (t) => {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    const secret = 'hunter2-of-the-client';
    const client = { CANARY_TOKEN: secret, CANARY: 'x', SSH_AUTH_SOCK: '/run/agent', OURS: secret };
    const command = { command: process.execPath, args: [toolServer] };
    let asked = 0;
    for (const [entry, names] of [
      [command, ['HOME', 'PATH']],
      [{ ...command, env: { OURS: '${env:OURS}', API_KEY: '${OURS}' } }, ['API_KEY', 'HOME', 'OURS', 'PATH']],
    ] as const) {
      configure(rig, entry);
      const run = rig.run(['tools'], client);
      const ready = run.ready();
      const question = await review.decide('once', () => review.questions().length > asked);
      asked = review.questions().length;
      await ready;
      const environment = Run.value(await run.answerTo(run.call('environment')));
      assert.deepEqual(Object.keys(environment).toSorted(), names);
      const shown = row(question, 'Environment');
      assert.match(shown, /Dropped, as they look like credentials: CANARY_TOKEN\n/u);
      assert.match(shown, /Dropped, as the configuration doesn’t name them: CANARY, .*SSH_AUTH_SOCK/u);
      assert.equal(
        /API_KEY looks like a credential: this server receives a credential\./u.test(shown),
        'env' in entry,
      );
      run.child.stdin.end();
      await run.ended();
    }
    assert.doesNotMatch(JSON.stringify([rig.records(), review.seen]), new RegExp(secret, 'u'));
  },
);
