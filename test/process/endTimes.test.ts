import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Rig } from './rig.ts';

/** A server that ends neither at the end of its input nor at TERM. */
const stubborn = `process.on('SIGTERM', () => undefined);
setInterval(() => undefined, 1000);
process.stdin.once('data', () => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\\n'));
`;

function rigWith(t: TestContext, end: object): Rig {
  const rig = Rig.make(t);
  const script = join(rig.home, 'stubborn.mjs');
  writeFileSync(script, stubborn);
  mkdirSync(dirname(rig.places.serversFile), { recursive: true, mode: 0o700 });
  const servers = { stubborn: { command: process.execPath, args: [script], end } };
  writeFileSync(rig.places.serversFile, JSON.stringify({ servers }));
  return rig;
}

test('a server’s own end times: TERM and KILL come when servers.jsonc says', async (t) => {
  const rig = rigWith(t, { closeSeconds: 0.3, termSeconds: 0.4 });
  const review = await rig.reviewer();
  const run = rig.run(['stubborn']);
  const answered = run.initialize();
  await review.decide('once');
  await answered;
  run.child.stdin.end();
  await run.ended();
  const { certificate } = await review.find('certificate');
  assert.equal(certificate.proved, true);
  const [{ signals }] = certificate.signalled;
  assert.deepEqual(
    signals.map(({ signal }: { signal: string }) => signal),
    ['SIGTERM', 'SIGKILL'],
  );
  const [termMs, killMs] = signals.map(({ at }: { at: string }) => Date.parse(at));
  const askedMs = Date.parse(certificate.requestedAt);
  assert.ok(termMs - askedMs >= 299, `TERM after ${termMs - askedMs} ms`);
  assert.ok(killMs - termMs >= 399, `KILL ${killMs - termMs} ms later`);
  assert.ok(killMs - askedMs < 7000, 'the ordinary times would be 7 s together');
});

test('end times out of range: the start is refused with the place and the limit, and nothing is asked', async (t) => {
  for (const [end, reason] of [
    [{ closeSeconds: -1 }, /servers\.stubborn\.end\.closeSeconds: at least 0 seconds/u],
    [{ termSeconds: 601 }, /servers\.stubborn\.end\.termSeconds: at most 600 seconds/u],
    [{ termSeconds: '5' }, /servers\.stubborn\.end\.termSeconds: seconds, from 0 to 600/u],
    [{ closeMs: 5 }, /servers\.stubborn\.end: .*closeMs/u],
  ] as const) {
    const run = rigWith(t, end).run(['stubborn']);
    run.child.stdin.end();
    assert.equal((await run.ended()).code, 3);
    assert.match(run.stderr, reason);
  }
});
