/** Where a socket call leads is what was judged (THREATS 2), whatever the caller swaps meanwhile. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { inCheckout, Rig, until } from './rig.ts';

const python = '/usr/bin/python3';
const attack = inCheckout('test', 'attacks', 'address.py');
const lenient = inCheckout('out', 'test', 'fixtures', 'lenient.mjs');
const modes = ['port', 'path', 'family', 'send', 'message'] as const;
type Mode = (typeof modes)[number];

const tries = 1000;

interface Ends {
  readonly good: string;
  readonly bad: string;
  /** How often the forbidden end was reached. */
  readonly reached: () => number;
}

/** Both ends, outside every family: this test's own. */
async function ends(t: TestContext, rig: Rig, mode: Mode): Promise<Ends> {
  let reached = 0;
  const listen = async (
    name: string,
    where: { path: string } | { port: number; host: string },
  ): Promise<string> => {
    const server = createServer((socket) => {
      if (name === 'bad') reached += 1;
      socket.on('error', () => undefined);
      socket.end(name);
    });
    server.listen(where);
    await once(server, 'listening');
    t.after(() => server.close());
    return 'path' in where ? where.path : String((server.address() as AddressInfo).port);
  };
  const receive = async (name: string): Promise<string> => {
    const socket = createSocket('udp4', () => {
      if (name === 'bad') reached += 1;
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    t.after(() => socket.close());
    return String(socket.address().port);
  };
  const tcp = { host: '127.0.0.1', port: 0 };
  const path = (name: string): { path: string } => ({ path: join(rig.home, `${mode}${name}`) });
  const make = {
    port: async () => [await listen('good', tcp), await listen('bad', tcp)],
    path: async () => [await listen('good', path('1')), await listen('bad', path('2'))],
    family: async () => [await listen('good', path('1')), await listen('bad', tcp)],
    send: async () => [await receive('good'), await receive('bad')],
    message: async () => [await receive('good'), await receive('bad')],
  }[mode];
  const [good = '', bad = ''] = await make();
  return { good, bad, reached: () => reached };
}

test('without the treatment each swap wins', { timeout: 600_000 }, async (t) => {
  const rig = Rig.make(t);
  for (const mode of modes) {
    const { good, bad, reached } = await ends(t, rig, mode);
    const out = join(rig.home, `${mode}.json`);
    const command = [lenient, bad, python, attack, mode, good, bad, String(tries), out];
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    const [status] = await once(child, 'close');
    assert.equal(status, 0, stderr);
    t.diagnostic(`${mode}: ${reached()} of ${tries} reached the forbidden end`);
    assert.ok(reached() > 0, mode);
  }
});

for (const mode of modes) {
  test(`under Kinwatch the forbidden end is never reached: ${mode}`, { timeout: 600_000 }, async (t) => {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    const { good, bad, reached } = await ends(t, rig, mode);
    const out = join(rig.home, 'out.json');
    const run = rig.run([
      '--name',
      'address',
      '--',
      python,
      attack,
      mode,
      good,
      bad,
      String(tries),
      out,
      'speak',
    ]);
    const ready = run.ready();
    await review.decide('once');
    await ready;
    const answered = new Set<string>();
    while (!existsSync(out)) {
      for (const question of review.questions()) {
        if (answered.has(question.id) || question.transition === 'first start') continue;
        answered.add(question.id);
        const isBad = !JSON.stringify(question.headline).includes(good);
        review.answer(question.id, isBad ? 'deny' : 'session');
      }
      assert.equal(run.exit, undefined, run.stderr);
      await delay(2);
    }
    const counts = JSON.parse(readFileSync(out, 'utf8')) as Record<string, number>;
    t.diagnostic(
      `${mode}: ${JSON.stringify(counts)} of ${tries} tries; forbidden end reached ${reached()} times`,
    );
    assert.equal(reached(), 0);
    assert.ok((counts['good'] ?? counts['sent'] ?? 0) > 0, 'the allowed end was reached');
    run.child.stdin.end();
    await until('it has ended', () => run.exit);
  });
}
