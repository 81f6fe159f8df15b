/**
 * The official conformance suite gives behind `kinwatch run` what it gives for the bare server, scenario by
 * scenario; behind a relay with faults it does not, so it can fail.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StdioServerParameters } from '@modelcontextprotocol/sdk/client/stdio.js';
import { recordsOf } from '../desk/harness.ts';
import { checkout, inCheckout, isAlive, launcher, type Reviewer, Rig } from '../process/rig.ts';
import { Bridge } from './bridge.ts';
import { runSuite, type SuiteName, type SuiteResult } from './suite.ts';

const fixture = inCheckout('out/test/conformance/fixtureServer.mjs');
const lossyRelay = inCheckout('out/test/conformance/lossyRelay.mjs');
const bareServer = { command: process.execPath, args: [fixture] };
/** What the suite has in the version that package.json names. */
const expected: Readonly<Record<SuiteName, number>> = { active: 40, pending: 4 };

/** A suite whose server is ended with it, and none of its processes alive afterwards. */
async function suiteOf(what: string, server: StdioServerParameters, suite: SuiteName): Promise<SuiteResult> {
  const bridge = await Bridge.open({ cwd: checkout, ...server });
  const [ran] = await Promise.allSettled([runSuite(bridge.url, suite)]);
  const started = await bridge.close();
  assert.ok(started.length > 0);
  assert.deepEqual(started.filter(isAlive), [], 'none is left');
  if (ran.status === 'rejected') throw ran.reason;
  const result = ran.value;
  const name = suite === 'active' ? what : `${what}, pending scenarios`;
  process.stdout.write(`conformance ${name}: ${result.passed} passed, ${result.failed} failed\n`);
  return result;
}

/** Allows every start that is asked for, and nothing else. */
function allowStarts(review: Reviewer): void {
  const answered = new Set<string>();
  review.peer.socket.on('data', () => {
    for (const { id, transition } of review.questions()) {
      if (answered.has(id) || transition !== 'first start') continue;
      answered.add(id);
      review.answer(id, 'once');
    }
  });
}

describe('the official conformance suite', { concurrency: true }, () => {
  for (const suite of ['active', 'pending'] as const) {
    test(`${suite} scenarios: the same behind kinwatch run as bare`, { timeout: 600_000 }, async (t) => {
      const bare = await suiteOf('bare', bareServer, suite);
      assert.equal(bare.failed, 0, bare.scenarios.join('\n'));
      assert.equal(bare.passed, expected[suite]);

      const rig = Rig.make(t);
      const review = await rig.reviewer();
      allowStarts(review);
      const supervised = {
        command: launcher,
        args: ['run', '--name', 'conformance', '--', bareServer.command, ...bareServer.args],
        env: { PATH: rig.environment['PATH'] ?? '', HOME: rig.home, KINWATCH_HOME: rig.home },
      };
      const behind = await suiteOf('behind kinwatch run', supervised, suite);
      assert.deepEqual(behind, bare);
      const sessions = recordsOf(rig, 'session opened').length;
      assert.ok(sessions > 0 && rig.members().length >= sessions, 'each was supervised');
      assert.deepEqual(rig.members().filter(isAlive), []);
      assert.equal(review.questions().length, sessions, 'starts were asked for, and nothing else');
    });
  }

  test('a relay that loses progress and keeps questions back is noticed', { timeout: 600_000 }, async () => {
    const lossy = { command: process.execPath, args: [lossyRelay, bareServer.command, ...bareServer.args] };
    const { passed, failed } = await suiteOf('behind a lossy relay', lossy, 'active');
    assert.equal(failed, 4);
    assert.ok(passed < expected.active - failed);
  });
});
