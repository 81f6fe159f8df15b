import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environment, searchPath, withinReach } from '../../../src/core/consequence/environmentRows.ts';
import { startCard } from '../../../src/core/consequence/startCard.ts';
import type { PathEntry, StartFacts } from '../../../src/core/facts.ts';
import { startFacts } from '../../webview/story.ts';

const folder = (entry: string, more: Partial<PathEntry> = {}): PathEntry => ({
  entry,
  directory: entry,
  exists: true,
  writableBy: 'nobody',
  hides: [],
  ...more,
});
const withEnvironment = (change: Partial<StartFacts['environment']>): StartFacts => ({
  ...startFacts,
  environment: { ...startFacts.environment, ...change },
});
const withSearch = (search: PathEntry[]): StartFacts =>
  withEnvironment({ search, path: search.map(({ entry }) => entry).join(':') });

test('names, grouped by why; values never', () => {
  const row = environment(
    withEnvironment({
      configured: ['API_TOKEN', 'MODE', 'NODE_OPTIONS'],
      credentials: ['API_TOKEN'],
      passed: ['HOME', 'PATH'],
      dropped: ['AWS_SECRET', 'EDITOR', 'VSCODE_PID'],
      secrets: ['AWS_SECRET'],
      tmpdir: '',
    }),
  );
  assert.equal(
    row.value,
    'Set by the configuration: API_TOKEN, MODE, NODE_OPTIONS\n' +
      'API_TOKEN looks like a credential: this server receives a credential.\n' +
      'NODE_OPTIONS can make its programs run code that no command line names.\n' +
      'Passed on: HOME, PATH\n' +
      'Dropped, as they look like credentials: AWS_SECRET\n' +
      'Dropped, as the configuration doesn’t name them: EDITOR, VSCODE_PID\n' +
      'HOME /home/dev\n' +
      'TMPDIR not set',
  );
  assert.equal(row.detail?.kind, 'warning');
});

test('an ordinary PATH has no warning', () => {
  const row = searchPath(withSearch([folder('/usr/local/bin'), folder('/usr/bin')]), [
    '/home/dev/src/parcel',
  ]);
  assert.equal(row.value, 'From the client, in this order: /usr/local/bin, /usr/bin');
  assert.equal(row.detail, undefined);
});

test('entries that change what a name means are warned of', () => {
  const row = searchPath(
    withSearch([
      folder('', { directory: '/home/dev/src/parcel', writableBy: 'user' }),
      folder('bin', { directory: '/home/dev/src/parcel/bin', writableBy: 'user' }),
      folder('/home/dev/src/parcel/node_modules/.bin', { writableBy: 'user' }),
      folder('/tmp/shared', { writableBy: 'everyone' }),
      folder('/home/dev/bin', { writableBy: 'user', hides: ['git', 'node'] }),
      folder('/home/dev/one', { writableBy: 'user', hides: ['git'] }),
      folder('/home/dev/empty', { writableBy: 'user' }),
      folder('/gone', { exists: false }),
      folder('/gone too', { exists: false }),
      folder('/usr/bin'),
    ]),
    ['/home/dev/src/parcel'],
  );
  assert.deepEqual(row.value.split('\n').slice(1), [
    'Entry 1 is empty: it means the working directory, /home/dev/src/parcel.',
    'Entry 1, the empty one, is inside the folder that the agent works in.',
    'Entry 2, bin, is relative: here it means /home/dev/src/parcel/bin.',
    'Entry 2, bin, is inside the folder that the agent works in.',
    'Entry 3, /home/dev/src/parcel/node_modules/.bin, is inside the folder that the agent works in.',
    'Entry 4, /tmp/shared, can be written by every account of this machine.',
    'Entry 5, /home/dev/bin, can be written by the agent, and 2 programs in it run instead of the system’s own.',
    'Run from /home/dev/bin: git, node',
    'Entry 6, /home/dev/one, can be written by the agent, and 1 program in it runs instead of the system’s own.',
    'Run from /home/dev/one: git',
    "2 entries do not exist: /gone, '/gone too'",
  ]);
  assert.deepEqual(row.detail?.kind === 'warning' ? row.detail.warnings.length : 0, 8);
});

test('a client at home or at the root works on no folder in particular', () => {
  const facts = withSearch([folder('/home/dev/.local/bin', { writableBy: 'user' })]);
  for (const cwd of ['/', '/home', '/home/dev'])
    assert.equal(searchPath({ ...facts, cwd }, []).detail, undefined, cwd);
  assert.ok(searchPath({ ...facts, cwd: '/home/dev/.local' }, []).detail);
});

test('field case 40: the card names the machine it runs on', () => {
  const card = startCard({ ...startFacts, host: 'devbox (a container)' }, ['/home/dev/src/parcel']);
  const row = card.rows.find(({ label }) => label === 'In');
  assert.equal(row?.value, '/home/dev/src/parcel, inside the workspace, on devbox (a container)');
});

test('credential files within reach: names, counted, nothing when there are none', () => {
  assert.equal(withinReach([], true, startFacts), null);
  const files = [
    '/home/dev/src/parcel/.env',
    '/home/dev/src/parcel/deploy/id_ed25519',
    '/home/dev/other/.npmrc',
  ];
  assert.equal(
    withinReach(files, true, startFacts)?.value,
    '3 credential files where it works. It runs as dev and can read what dev can.\n' +
      '.env, deploy/id_ed25519, /home/dev/other/.npmrc',
  );
  assert.match(
    withinReach(['/x/.env'], false, startFacts)?.value ?? '',
    /^At least 1 credential file where it works\./u,
  );
});
