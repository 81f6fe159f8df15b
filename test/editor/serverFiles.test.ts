import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { messages } from '../../src/editor/messages.ts';
import { commandLine, readProposals, readServers } from '../../src/editor/serverFiles.ts';

test('servers, none, invalid and unreadable are told apart', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'kw-'));
  t.after(() => {
    rmSync(base, { recursive: true });
  });
  const file = join(base, 'servers.jsonc');
  assert.deepEqual(await readServers(file), { servers: new Map() });
  writeFileSync(file, messages.newServersFile);
  assert.equal((await readServers(file)).error, undefined);
  writeFileSync(file, '{"servers":{"a":{"command":""}}}');
  assert.match((await readServers(file)).error ?? '', /servers\.a\.command: the command is empty/u);
  assert.match((await readServers(base)).error ?? '', /could not be read/u);
});

test('a command line shows no secret and no hidden character', () => {
  const args = ['a b', '--token', 'abcdef', 'x\u200b'];
  const entry = { command: 'node', args, env: {}, network: 'ask' as const };
  assert.equal(commandLine(entry), `node 'a b' --token '[masked, 6 characters]' 'x⟦ZWSP⟧'`);
});

test('a workspace’s servers are names only', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'kw-'));
  t.after(() => {
    rmSync(base, { recursive: true });
  });
  mkdirSync(join(base, '.vscode'));
  writeFileSync(join(base, '.vscode', 'mcp.json'), '{"servers":{"a\u202e":{"command":"x"},"b":1}} // fine');
  mkdirSync(join(base, '.kinwatch'));
  writeFileSync(join(base, '.kinwatch', 'servers.jsonc'), '{"servers":');
  assert.deepEqual(await readProposals([base, '/nonexistent']), ['a⟦RLO⟧', 'b']);
});
