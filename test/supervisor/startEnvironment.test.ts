import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import type { RunRequest } from '../../src/supervisor/commandLine.ts';
import { startEnvironment } from '../../src/supervisor/startEnvironment.ts';

const file = '/home/dev/.config/kinwatch/servers.jsonc';
const named: RunRequest = {
  server: 'files',
  source: file,
  command: 'npx',
  args: [],
  env: {},
  network: 'ask',
};
const client = new Map([
  ['PATH', '/usr/bin:/bin'],
  ['HOME', '/home/dev'],
]);
const shell = () => Promise.resolve({ shell: '/bin/zsh', path: '/home/dev/.nvm/bin:/usr/bin' });

test('PATH is the client’s, the configuration’s or, asked for, the login shell’s; the card is told which', async () => {
  const plain = await startEnvironment(named, client, '/srv', shell);
  assert.equal(plain.variables['PATH'], '/usr/bin:/bin');
  assert.equal((await plain.facts).pathFrom, 'the client');
  assert.deepEqual(
    (await plain.facts).search.map(({ directory }) => directory),
    ['/usr/bin', '/bin'],
  );
  const own = await startEnvironment({ ...named, env: { PATH: '/opt/bin' } }, client, '/srv', shell);
  assert.equal(own.variables['PATH'], '/opt/bin');
  assert.equal((await own.facts).pathFrom, 'the configuration');
  const login = await startEnvironment({ ...named, path: 'login shell' }, client, '/srv', shell);
  assert.equal(login.variables['PATH'], '/home/dev/.nvm/bin:/usr/bin');
  assert.equal(login.lookup.path, '/home/dev/.nvm/bin:/usr/bin');
  assert.equal((await login.facts).pathFrom, 'the login shell /bin/zsh');
  assert.deepEqual((await login.facts).passed, ['HOME', 'PATH']);
});

test('field case 31: the next step where a command is not found', async () => {
  const { lookup } = await startEnvironment(named, client, '/srv', shell);
  assert.ok(lookup.host.startsWith(hostname()));
  assert.match(
    lookup.nextStep,
    /If a terminal finds the command, add "path": "login shell" to servers\.files in \/home/u,
  );
  const line = await startEnvironment({ ...named, source: 'command line' }, client, '/srv', shell);
  assert.match(line.lookup.nextStep, /put --path "login shell" behind kinwatch run/u);
  const login = await startEnvironment({ ...named, path: 'login shell' }, client, '/srv', shell);
  assert.match(login.lookup.nextStep, /^That is the PATH of your login shell, \/bin\/zsh\./u);
  const own = await startEnvironment({ ...named, env: { PATH: '/x' } }, client, '/srv', shell);
  assert.match(own.lookup.nextStep, /^That is the PATH of the configuration\./u);
});

test('field case 37: a relative command starts from the configuration, or from the working directory it names', async () => {
  const base = async (request: RunRequest) =>
    (await startEnvironment(request, client, '/srv', shell)).lookup.base;
  assert.deepEqual(await base(named), {
    folder: '/home/dev/.config/kinwatch',
    what: 'the folder of servers.jsonc',
  });
  assert.equal(await base({ ...named, cwd: '/srv' }), undefined);
  assert.equal(await base({ ...named, source: 'command line' }), undefined);
});

test('a credential in PATH is not shown', async () => {
  const odd = new Map([['PATH', `/usr/bin:/x/ghp_${'a1B2'.repeat(9)}`]]);
  const { variables, facts } = await startEnvironment(named, odd, '/srv', shell);
  assert.match(variables['PATH'] ?? '', /ghp_/u);
  assert.doesNotMatch(JSON.stringify(await facts), /ghp_/u);
});
