/** A client of somebody else's: the MCP Inspector's command line, with a server by its name in servers.jsonc. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { inCheckout, isAlive, launcher, Rig, toolServer } from '../process/rig.ts';

const inspector = inCheckout('node_modules/@modelcontextprotocol/inspector-cli/build/cli.js');

test('the inspector calls a tool through kinwatch run', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  mkdirSync(dirname(rig.places.serversFile), { recursive: true, mode: 0o700 });
  writeFileSync(
    rig.places.serversFile,
    JSON.stringify({ servers: { tools: { command: process.execPath, args: [toolServer] } } }),
  );
  const review = await rig.reviewer();
  // prettier-ignore
  const argv = [
    inspector, '--cli', launcher, 'run', 'tools',
    '--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'value=through',
  ];
  const client = spawn(process.execPath, argv, {
    // Published alone it finds its own package.json from here only.
    cwd: dirname(inspector),
    // It starts `node` by that name.
    env: { ...rig.environment, PATH: `${dirname(process.execPath)}:${rig.environment['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  client.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  client.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const closed = new Promise((done) => void client.on('close', done));
  await review.decide('once');
  assert.equal(await closed, 0, log);
  assert.deepEqual(JSON.parse(output), { content: [{ type: 'text', text: '"through"' }] });
  assert.equal((await review.find('certificate')).certificate.proved, true);
  assert.deepEqual(rig.members().filter(isAlive), []);
  process.stdout.write('conformance inspector: tools/call answered behind kinwatch run\n');
});
