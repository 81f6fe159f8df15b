import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { main } from '../../src/cli/main.ts';
import { treeText } from '../../src/cli/ps.ts';

const time = '2026-03-12T14:00:00.000Z';
const process_ = (pid: number, ppid: number, argv: string[]) => ({
  pid,
  ppid,
  startedAt: time,
  user: 'dev',
  elapsed: 1,
  stat: 'S',
  command: argv[0] ?? '',
  exe: null,
  argv,
  cwd: null,
  session: '7f3a',
  detached: false,
});
const session = (id: string) => ({
  session: id,
  server: 'repo-tools',
  client: { pid: 5, startTicks: 1, startedAt: time, exe: '/usr/share/code/code', argv: [] },
  coverage: { level: 'held', text: 'execs held', gaps: {} },
  startedAt: time,
  processes: [process_(11, 10, ['git', '--token', 'abcdef']), process_(10, 9, ['node', 'a b'])],
});
const certificate = (id: string, survivors: number, proved: boolean) => ({
  session: id,
  cause: 'operator',
  signalled: [{ pid: 10, startedAt: time, command: 'node', signals: [{ signal: 'SIGKILL', at: time }] }],
  survivors,
  proved,
  outside: [],
  evidence: { folder: '/e', manifest: 'sha256:0' },
  gaps: [],
  requestedAt: time,
  durationMs: 12,
  evidenceMs: 3,
});

type Reply = (message: { kind: string; session?: string }) => unknown;

/** Runs a command against a desk that answers with `reply`; no desk when that is undefined. */
async function kinwatch(t: TestContext, argv: string[], reply?: Reply) {
  const home = mkdtempSync(join(tmpdir(), 'kw-'));
  mkdirSync(join(home, 'run'));
  const peers: Socket[] = [];
  const server = createServer((socket) => {
    peers.push(socket);
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().trim().split('\n')) {
        const message = JSON.parse(line) as { kind: string };
        const answer = message.kind === 'hello' ? { kind: 'welcome', protocol: 1 } : reply?.(message);
        if (answer !== undefined) socket.write(`${JSON.stringify(answer)}\n`);
      }
    });
  });
  if (reply !== undefined) {
    await new Promise<void>((resolve) => {
      server.listen(join(home, 'run', 'desk.sock'), resolve);
    });
  }
  t.after(() => {
    for (const peer of peers) peer.destroy();
    if (server.listening) server.close();
    rmSync(home, { recursive: true, force: true });
  });
  const before = process.env['KINWATCH_HOME'];
  process.env['KINWATCH_HOME'] = home;
  let out = '';
  let err = '';
  const installation = { dist: join(home, 'dist'), node: process.execPath, electron: false };
  mkdirSync(installation.dist);
  writeFileSync(join(home, 'package.json'), '{"version":"1.2.3"}');
  try {
    const code = await main(argv, installation, {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
    });
    return { code, out, err };
  } finally {
    if (before === undefined) delete process.env['KINWATCH_HOME'];
    else process.env['KINWATCH_HOME'] = before;
  }
}

test('usage, version, help and later commands', async (t) => {
  assert.equal((await kinwatch(t, [])).code, 2);
  assert.deepEqual(await kinwatch(t, ['--version']), { code: 0, out: '1.2.3\n', err: '' });
  assert.match((await kinwatch(t, ['--help'])).out, /^usage: kinwatch run/u);
  const audit = await kinwatch(t, ['audit', 'verify']);
  assert.deepEqual([audit.code, audit.out], [3, '']);
  assert.match(audit.err, /audit is not in this version/u);
  for (const argv of [
    ['approve'],
    ['ps', '--all'],
    ['ps', 'x'],
    ['contain'],
    ['contain', 'a', '--all'],
    ['run'],
  ]) {
    const { code, out, err } = await kinwatch(t, argv);
    assert.deepEqual([code, out], [2, ''], argv.join(' '));
    assert.match(err, /^kinwatch: .+/u);
  }
});

test('without a desk nothing runs, and nothing is started', async (t) => {
  assert.deepEqual(await kinwatch(t, ['ps', '--json']), {
    code: 0,
    out: '{\n  "sessions": []\n}\n',
    err: '',
  });
  assert.match((await kinwatch(t, ['ps'])).err, /nothing runs/u);
  assert.equal((await kinwatch(t, ['contain', '--all'])).code, 0);
  const one = await kinwatch(t, ['contain', '7f3a', '--json']);
  assert.deepEqual([one.code, one.out], [3, '']);
});

const list: Reply = ({ kind }) =>
  kind === 'ps' ? { kind: 'sessions', sessions: [session('7f3a')] } : undefined;

test('ps shows the tree, masked and visible, and JSON as it came', async (t) => {
  const { out } = await kinwatch(t, ['ps'], list);
  assert.match(out, /^repo-tools {2}session 7f3a {2}started by VS Code \(pid 5\)/u);
  assert.ok(out.includes(`\n  10  node 'a b'\n    11  git --token '[masked, 6 characters]'\n`), out);
  const json = await kinwatch(t, ['ps', '--json'], list);
  assert.deepEqual(JSON.parse(json.out), { sessions: [session('7f3a')] });
});

test('contain exits 0 only with zero survivors, proved', async (t) => {
  const desk =
    (survivors: number, proved: boolean): Reply =>
    (message) =>
      message.kind === 'contain'
        ? { kind: 'certificate', certificate: certificate(message.session ?? '', survivors, proved) }
        : list(message);
  const held = await kinwatch(t, ['contain', '7f3a'], desk(0, true));
  assert.equal(held.code, 0);
  assert.match(held.out, /survivors: 0, proved\nended: 1\n {2}10 {2}node {2}SIGKILL/u);
  assert.equal((await kinwatch(t, ['contain', '7f3a'], desk(0, false))).code, 1);
  assert.equal((await kinwatch(t, ['contain', '7f3a'], desk(2, false))).code, 1);
  const all = await kinwatch(t, ['contain', '--all', '--json'], desk(1, false));
  assert.equal(all.code, 1);
  assert.equal((JSON.parse(all.out) as { certificates: unknown[] }).certificates.length, 1);
  const unknown = await kinwatch(t, ['contain', 'nope'], list);
  assert.deepEqual([unknown.code, unknown.out], [3, '']);
  assert.match(unknown.err, /there is: 7f3a/u);
});

test('a failure and a session that ends without a certificate are told', async (t) => {
  const failing = await kinwatch(t, ['contain', '7f3a'], (message) =>
    message.kind === 'contain'
      ? { kind: 'failed', request: 'contain', reason: '7f3a has ended' }
      : list(message),
  );
  assert.deepEqual([failing.code, failing.out], [3, '']);
  let looks = 0;
  const silent = await kinwatch(t, ['contain', '7f3a'], (message) => {
    if (message.kind !== 'ps') return undefined;
    looks += 1;
    return { kind: 'sessions', sessions: looks === 1 ? [session('7f3a')] : [] };
  });
  assert.equal(silent.code, 3);
  assert.match(silent.err, /without a certificate/u);
});

test('a tree with a loop or a lost parent shows each process once', () => {
  const rows = [process_(1, 2, ['a']), process_(2, 1, ['b']), process_(3, 99, ['c'])];
  assert.equal(treeText(rows), '  3  c\n  1  a\n    2  b\n');
});
