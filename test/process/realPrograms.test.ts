/** Real programs behind `kinwatch run`: they work, the tree names what they start and why, and nothing is left of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isAlive, checkout, inCheckout, type Rig, toolServer, until } from './rig.ts';
import { Official } from './official.ts';

const slow = { timeout: 300_000 };
const chromium = '/usr/bin/chromium';

const server = (name: string): string =>
  inCheckout('node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
const run = (name: string, ...command: string[]): string[] => [
  '--name',
  name,
  '--',
  process.execPath,
  ...command,
];

test('the filesystem server writes and reads below its folder', slow, async (t) => {
  const all = await Official.start(t, ({ home }) => {
    mkdirSync(join(home, 'folder'));
    return run('files', server('filesystem'), join(home, 'folder'));
  });
  const path = join(all.rig.home, 'folder', 'note.txt');
  await all.call('write_file', { path, content: 'kept' });
  assert.equal(readFileSync(path, 'utf8'), 'kept');
  assert.match(await all.call('read_text_file', { path }), /kept/u);
  assert.deepEqual(all.asked.length, 1, 'it starts no program');
  await all.leave();
});

test(
  'the everything server: tools, prompts, resources, progress, and questions of its own',
  slow,
  async (t) => {
    const all = await Official.start(t, () => run('everything', server('everything'), 'stdio'));
    assert.match(await all.call('echo', { message: 'hello' }), /hello/u);
    assert.match(await all.call('get-sum', { a: 2, b: 40 }), /42/u);
    await all.client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 } },
      undefined,
      { onprogress: () => undefined },
    );
    const steps = all.received.filter((one) => 'method' in one && one.method === 'notifications/progress');
    assert.equal(steps.length, 4);
    assert.ok((await all.client.listPrompts()).prompts.length > 0);
    assert.ok((await all.client.listResources()).resources.length > 0);
    await all.leave();
  },
);

test('the memory server keeps what it was told in a file', slow, async (t) => {
  const all = await Official.start(t, ({ home }) => [
    '--env',
    `MEMORY_FILE_PATH=${join(home, 'memory.jsonl')}`,
    ...run('memory', server('memory')),
  ]);
  const entities = [{ name: 'Kinwatch', entityType: 'program', observations: ['it watches'] }];
  await all.call('create_entities', { entities });
  assert.match(await all.call('read_graph'), /it watches/u);
  assert.ok(existsSync(join(all.rig.home, 'memory.jsonl')));
  await all.leave();
});

test('npx as a wrapper: npm, its shell and the server are one family', slow, async (t) => {
  const all = await Official.start(t, () => [
    '--name',
    'wrapped',
    '--cwd',
    checkout,
    '--env',
    'NPM_CONFIG_UPDATE_NOTIFIER=false',
    '--',
    'npx',
    '--no-install',
    'mcp-server-everything',
    'stdio',
  ]);
  assert.match(await all.call('echo', { message: 'through npx' }), /through npx/u);
  const programs = all.programs().map(({ argv }) => argv.join(' '));
  assert.ok(
    programs.some((text) => /npx/u.test(text)),
    programs.join('\n'),
  );
  assert.ok(
    programs.some((text) => /mcp-server-everything/u.test(text) && !/npx/u.test(text)),
    programs.join('\n'),
  );
  assert.ok(all.rig.members().filter(isAlive).length >= 2, 'the wrapper waits for its server');
  await all.leave();
});

function repository(rig: Rig): string {
  const path = join(rig.home, 'repository');
  mkdirSync(path);
  const git = (...args: string[]): void => {
    const { status, stderr } = spawnSync(
      'git',
      ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args],
      {
        cwd: path,
        env: rig.environment,
        encoding: 'utf8',
      },
    );
    assert.equal(status, 0, stderr);
  };
  git('init', '-q');
  writeFileSync(join(path, 'tracked'), 'one\n');
  git('add', 'tracked');
  git('commit', '-qm', 'The first commit');
  writeFileSync(join(path, 'tracked'), 'two\n');
  return path;
}

test('git and its helpers', slow, async (t) => {
  let path = '';
  const all = await Official.start(t, (rig) => {
    path = repository(rig);
    return run('tools', toolServer);
  });
  const git = async (...args: string[]): Promise<string> => {
    const { code, output } = JSON.parse(
      await all.call('run', { command: 'git', args: ['-C', path, ...args] }),
    );
    assert.equal(code, 0, output);
    return output;
  };
  assert.equal(await git('status', '--short'), ' M tracked\n');
  assert.match(await git('log', '--oneline'), /The first commit/u);
  // Its other end is a program of its own, behind a shell, and that one starts another.
  await git('clone', '-q', '--no-local', path, join(all.rig.home, 'copy'));
  await all.startedBy('run', /\/git$/u);
  const started = (argument: RegExp): boolean =>
    all
      .programs()
      .some(
        ({ argv, request }) =>
          argument.test(argv.join(' ')) && request?.tool === 'run' && request.attribution === 'certain',
      );
  for (const helper of [/^\S*git-upload-pack|upload-pack /u, /pack-objects/u, /index-pack/u])
    await until(String(helper), () => started(helper));
  await all.leave();
});

test('a Python server that starts programs by vfork and posix_spawn', slow, async (t) => {
  const all = await Official.start(t, () => [
    '--name',
    'vfork',
    '--',
    '/usr/bin/python3',
    inCheckout('test', 'fixtures', 'vforkServer.py'),
  ]);
  for (const tool of ['subprocess', 'posixSpawn'] as const) {
    const argv = ['/bin/echo', tool];
    assert.deepEqual(JSON.parse(await all.call(tool, { argv })), { code: 0, output: `${tool}\n` });
    assert.deepEqual((await all.startedBy(tool, /\/echo$/u)).argv, argv);
    assert.deepEqual(JSON.parse(await all.call(tool, { argv: ['/not/there'] })), { errno: 2 });
  }
  await all.leave();
});

/** Pid namespaces that a process has a pid in: `proc_pid_status(5)`, NSpid. 1 without any of its own. */
function namespaceDepth(pid: number): number {
  try {
    const pids = /^NSpid:(.*)$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
    return pids.trim().split(/\s+/u).length;
  } catch {
    return 0; // it has ended meanwhile
  }
}

/** A page of this test's own. */
async function page(t: TestContext): Promise<string> {
  const web = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>A page of the test</title><h1>Read through the relay</h1>');
  });
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  t.after(() => web.close());
  return `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
}

test(
  'Playwright with Chromium: a browser’s whole family, its own user namespaces among it',
  slow,
  async (t) => {
    if (!existsSync(chromium)) {
      t.skip(`${chromium} is not installed`);
      return;
    }
    const url = await page(t);
    // What its own sandbox is made of: an ordinary user's namespaces, where this machine gives them.
    const isNamespaced = spawnSync('unshare', ['-Urp', '--fork', 'true']).status === 0;
    const all = await Official.start(t, ({ home }) =>
      run(
        'browser',
        inCheckout('node_modules', '@playwright', 'mcp', 'cli.js'),
        '--headless',
        '--isolated',
        '--executable-path',
        chromium,
        '--output-dir',
        join(home, 'output'),
      ),
    );
    assert.match(await all.call('browser_navigate', { url }), /Page Title: A page of the test/u);
    assert.match(await all.call('browser_snapshot'), /Read through the relay/u);
    await all.startedBy('browser_navigate', /\/chromium$/u);
    const living = all.rig.members().filter(isAlive);
    const nested = living.filter(({ pid }) => namespaceDepth(pid) > 1);
    t.diagnostic(
      `${living.length} members alive, ${nested.length} of them in pid namespaces of the browser's own; ` +
        `${all.rig.members().length} births, ${all.asked.length} questions`,
    );
    assert.ok(living.length >= 6, `${living.length} members`);
    assert.equal(nested.length > 0, isNamespaced);
    await all.leave();
  },
);

test(
  'field case 9: a client that forgets the pid on close: the family ends all the same',
  slow,
  async (t) => {
    const all = await Official.start(t, () => [
      '--name',
      'deaf',
      '--',
      '/bin/sh',
      '-c',
      'trap "" TERM; setsid -f sleep 1000 <&- >&- 2>&-; "$0" "$1"; while :; do sleep 1; done',
      process.execPath,
      toolServer,
    ]);
    assert.match(await all.call('echo', { value: 'here' }), /here/u);
    const living = all.rig.members().filter(isAlive);
    assert.ok(living.length >= 3, JSON.stringify(living));
    assert.ok(all.transport.pid !== null);
    const certificate = await all.leave();
    assert.equal(all.transport.pid, null, 'nobody but Kinwatch knows whom to end');
    const ended = new Set(certificate.signalled.map(({ pid }: { pid: number }) => pid));
    assert.ok(living.some(({ pid }) => ended.has(pid)));
    await until('nobody is left', () => !living.some(isAlive));
  },
);
