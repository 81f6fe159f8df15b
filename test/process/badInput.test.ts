/** What cannot be launched: each says what is wrong and the next step, to the person and to the client, and nothing is half-started. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { timings } from '../../src/desk/timings.ts';
import { type Message, recordsOf } from '../desk/harness.ts';
import { inCheckout, isAlive, launcher, type Reviewer, Rig, type Run, until } from './rig.ts';

/** A client that says `initialize` and waits for the end. Its first answer, its log and its exit code. */
async function refused(run: Run): Promise<{ code: number | null; said: string; answer: string | undefined }> {
  run.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test client', version: '1' },
  });
  await until('its streams are closed', () => run.closed);
  const [answer] = run.received;
  assert.ok(run.received.length <= 1, JSON.stringify(run.received));
  return { code: run.exit?.code ?? null, said: run.stderr, answer: answer?.error?.message };
}

/** Exit 3, the same words on stderr and to the client, and nothing that was started on the way. */
async function cannotRun(rig: Rig, run: Run, words: RegExp): Promise<void> {
  const { code, said, answer } = await refused(run);
  assert.match(said, words);
  assert.equal(code, 3, said);
  assert.match(answer ?? '', words, 'the client hears it as the answer to initialize');
  assert.match(said, /^kinwatch: [^\n]+\n$/u, 'one line, no stack');
  assert.equal(existsSync(rig.places.socket), false, 'no desk was started for it');
  assert.deepEqual(rig.records(), []);
}

function file(rig: Rig, name: string, text: string, mode = 0o755): string {
  const path = join(rig.home, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test('a command that cannot be run', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  const notExecutable = file(rig, 'plain.sh', '#!/bin/sh\n', 0o644);
  const noInterpreter = file(rig, 'lost', '#!/opt/gone/ruby -w\n');
  const noEnvInterpreter = file(rig, 'lost-env', '#!/usr/bin/env no-such-interpreter\n');
  const loop = file(rig, 'loop', `#!${join(rig.home, 'loop')}\n`);
  const cases: [string, RegExp][] = [
    [
      'no-such-command',
      /command not found: no-such-command is in none of the 3 entries of PATH on \S.*: \/usr\/local\/bin:\/usr\/bin:\/bin\. That is the PATH of the client; .* put --path "login shell" behind kinwatch run.* Or write its absolute path, or install it there\./u,
    ],
    ['/opt/gone/server', /command not found: \/opt\/gone\/server \(ENOENT\); check the path, or install it/u],
    ['./gone', /command not found: \/\S*\/gone \(ENOENT\); check the path/u],
    [`${notExecutable}/server`, /plain\.sh\/server \(ENOTDIR\); check the path/u],
    [notExecutable, /plain\.sh is not executable; chmod \+x it, or name another command/u],
    ['/etc', /\/etc is a directory, not a program; name the program in it/u],
    [
      noInterpreter,
      /lost cannot be started: its first line names \/opt\/gone\/ruby \(ENOENT\); install it, or correct the line/u,
    ],
    [
      noEnvInterpreter,
      /lost-env cannot be started: its first line asks for no-such-interpreter, which is in none of the 3 entries of PATH on /u,
    ],
    [loop, /loop cannot be started: its first line names \S*loop \(ELOOP\)/u],
    [
      '~/server',
      /the command "~\/server" starts with ~, and only a shell expands that; write the whole path/u,
    ],
    [
      '$HOME/server',
      /the command "\$HOME\/server" holds \$HOME, and only a shell expands that; write the value itself/u,
    ],
    ['${HOME}/server', /the command "\$\{HOME\}\/server" holds \$\{HOME\}, and only a shell/u],
  ];
  for (const [command, words] of cases) await cannotRun(rig, rig.run(['--', command]), words);
  // In PATH, and not executable: the name is there, so "not found" would mislead.
  mkdirSync(join(rig.home, 'bin'));
  file(rig, 'bin/tool', '#!/bin/sh\n', 0o644);
  await cannotRun(
    rig,
    rig.run(['--', 'tool'], { PATH: join(rig.home, 'bin') }),
    /bin\/tool is not executable; chmod \+x it/u,
  );
});

test('field case 32: a working directory that cannot be used', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  const plain = file(rig, 'plain', '', 0o644);
  const closed = join(rig.home, 'closed');
  mkdirSync(join(closed, 'inside'), { recursive: true });
  chmodSync(closed, 0o000);
  const ring = join(rig.home, 'ring');
  symlinkSync(ring, ring);
  const cases: [string, RegExp][] = [
    [join(rig.home, 'gone'), /the working directory \S*\/gone does not exist; make it, or name another/u],
    [plain, /the working directory \S*\/plain is a file; name a directory/u],
    [`${plain}/in`, /the working directory \S*\/plain\/in does not exist/u],
    [`${closed}/inside`, /the working directory \S*\/closed\/inside cannot be entered \(EACCES\)/u],
    [closed, /the working directory \S*\/closed cannot be entered \(EACCES\)/u],
    [ring, /the working directory \S*\/ring cannot be entered \(ELOOP\)/u],
    ['~/src', /the working directory "~\/src" starts with ~/u],
    ['$HOME/src', /the working directory "\$HOME\/src" holds \$HOME/u],
    ['src', /the working directory "src" is not absolute; write the whole path/u],
    ['', /the working directory "" is not absolute/u],
  ];
  for (const [cwd, words] of cases) await cannotRun(rig, rig.run(['--cwd', cwd, '--', 'true']), words);
  chmodSync(closed, 0o700);
});

test('usage: exit 2, the usage on stderr, no answer', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  const cases: [string[], RegExp][] = [
    [[], /no server named and no command given/u],
    [['--'], /the command after -- is empty/u],
    [['--', ''], /the command after -- is empty/u],
    [['one', 'two'], /unexpected "two" after the server’s name; put -- before a command/u],
    [['one', '--', 'true'], /unexpected "one" before --/u],
    [['--env', 'a SECRET', '--', 'true'], /--env takes NAME=VALUE or NAME/u],
    [['--env', '=value', '--', 'true'], /--env takes NAME=VALUE/u],
    [['--nmae', 'x', '--', 'true'], /--nmae/u],
    [['--name', '--', 'true'], /--name/u],
  ];
  for (const [argv, words] of cases) {
    const { code, said, answer } = await refused(rig.run(argv));
    assert.equal(code, 2, said);
    assert.match(said, words);
    assert.match(said, /\nusage: kinwatch run /u);
    assert.doesNotMatch(said, /SECRET|    at /u, 'neither a value that may be a secret nor a stack');
    assert.equal(answer, undefined);
    assert.deepEqual(rig.records(), []);
  }
});

test(
  'servers.jsonc: missing, broken, of the wrong shape; field case 41: with variables that are not set',
  { timeout: 300_000 },
  async (t) => {
    const rig = Rig.make(t);
    await cannotRun(
      rig,
      rig.run(['files']),
      /no server "files": \S*\/config\/servers\.jsonc cannot be read; create it with "Kinwatch: Open Server Configuration", or give a command after --/u,
    );
    mkdirSync(rig.places.config, { recursive: true });
    const servers = (text: string): void => writeFileSync(rig.places.serversFile, text);
    const one = (entry: object): void => servers(JSON.stringify({ servers: { files: entry } }));
    const expect = (words: RegExp): Promise<void> => cannotRun(rig, rig.run(['files']), words);
    servers('{\n  // a comment\n  "servers": {\n    "files": { "command": }\n  }\n}\n');
    await expect(/servers\.jsonc cannot be used: line 4: /u);
    servers('');
    await expect(/servers\.jsonc cannot be used: line 1: /u);
    servers('[]');
    await expect(/servers\.jsonc cannot be used: the file: .*object/u);
    one({ command: 5 });
    await expect(/servers\.jsonc cannot be used: servers\.files\.command: .*string/u);
    one({ command: '' });
    await expect(/servers\.files\.command: the command is empty/u);
    one({ command: 'true', args: 'x' });
    await expect(/servers\.files\.args: .*array/u);
    one({ command: 'true', timeout: 1 });
    await expect(/servers\.files: .*timeout/u);
    servers('{"servers":{"other":{"command":"true"}}}');
    await expect(/no server "files" in \S*servers\.jsonc; it has "other"/u);
    servers('{"servers":{}}');
    await expect(/no server "files" in \S*servers\.jsonc; it has none/u);
    const variables: [object, RegExp][] = [
      [
        { command: '${NOPE}/x' },
        /servers\.files\.command in \S*servers\.jsonc holds \$\{NOPE\}, and NOPE is not set where the client runs; set it there, write \$\{NOPE:-default\}, or write the value itself/u,
      ],
      [
        { command: 'true', args: ['a', '--root=${workspaceFolder}'] },
        /servers\.files\.args\[1\] .*holds \$\{workspaceFolder\}/u,
      ],
      [{ command: 'true', cwd: '${NOPE}' }, /servers\.files\.cwd .*holds \$\{NOPE\}/u],
      [
        { command: 'true', env: { TOKEN: '${env:TOKEN}' } },
        /servers\.files\.env\.TOKEN .*holds \$\{env:TOKEN\}/u,
      ],
      [{ command: '$HOME/x' }, /the command "\$HOME\/x" holds \$HOME/u],
      [{ command: 'true', cwd: '$HOME' }, /the working directory "\$HOME" holds \$HOME/u],
      [{ command: '~/x' }, /the command "~\/x" starts with ~/u],
      [{ command: 'true', cwd: '~' }, /the working directory "~" starts with ~/u],
    ];
    for (const [entry, words] of variables) {
      one(entry);
      await expect(words);
    }
  },
);

test('places and watchers that cannot be used', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  const at = (home: string): Run => rig.run(['--', 'true'], { KINWATCH_HOME: home });
  await cannotRun(rig, at('somewhere'), /KINWATCH_HOME is "somewhere"; set it to an absolute path/u);
  const long = join(rig.home, 'x'.repeat(100));
  await cannotRun(
    rig,
    at(long),
    /socket path has \d+ bytes and a socket path may have 107: \S+; set KINWATCH_HOME to a shorter directory/u,
  );
  assert.equal(existsSync(long), false);
  const watcher = (value: string): Run => rig.run(['--', 'true'], { KINWATCH_WATCHER: value });
  await cannotRun(
    rig,
    watcher('portable'),
    /KINWATCH_WATCHER=portable: .* not in this version\. Unset it\. Nothing was launched\./u,
  );
  await cannotRun(
    rig,
    watcher('nonsense'),
    /KINWATCH_WATCHER is "nonsense"; it takes seccomp or portable\. Nothing was launched\./u,
  );
  // A runtime directory of somebody else: whoever owns it could answer in the desk's place.
  await cannotRun(rig, at('/'), /\/run belongs to user 0, not to \d+; remove it or set KINWATCH_HOME/u);
  const other = (name: string): string => {
    const home = join(rig.home, name);
    mkdirSync(home);
    return home;
  };
  const open = other('open');
  mkdirSync(join(open, 'run'));
  chmodSync(join(open, 'run'), 0o777);
  await cannotRun(rig, at(open), /open\/run is open to other users; run: chmod 700 \S*open\/run/u);
  const linked = other('linked');
  mkdirSync(join(linked, 'real'), { mode: 0o700 });
  symlinkSync('real', join(linked, 'run'));
  await cannotRun(rig, at(linked), /linked\/run is not a directory; remove it/u);
  const plain = other('plain');
  writeFileSync(join(plain, 'run'), '');
  await cannotRun(rig, at(plain), /plain\/run is not a directory; remove it/u);
});

test('a user without a passwd entry needs KINWATCH_HOME', async (t) => {
  const rig = Rig.make(t);
  const uid = process.getuid?.() ?? 0;
  try {
    userInfo();
    return t.skip('this user has a passwd entry');
  } catch {
    // As wished.
  }
  await cannotRun(
    rig,
    rig.run(['--', 'true'], { KINWATCH_HOME: undefined }),
    new RegExp(`user ${uid} has no home directory; set KINWATCH_HOME to a directory of its own`, 'u'),
  );
});

/** Something on the desk's socket that is no desk of this version. */
async function fakeDesk(t: TestContext, rig: Rig, greet: (socket: Socket) => void): Promise<() => number> {
  mkdirSync(rig.places.runtime, { recursive: true, mode: 0o700 });
  let connections = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => greet(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(rig.places.socket, resolve);
  });
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return () => connections;
}

test(
  'what listens in the desk’s place and is none: nothing is launched, and it is not asked again',
  { timeout: 300_000 },
  async (t) => {
    const say = (message: object) => (socket: Socket) => void socket.write(`${JSON.stringify(message)}\n`);
    const cases: [(socket: Socket) => void, RegExp][] = [
      [
        say({
          kind: 'refused',
          reason: 'it speaks protocol 1, this desk 9: the supervisor is older; update it',
        }),
        /desk refused this start: it speaks protocol 1, this desk 9: the supervisor is older; update it/u,
      ],
      [
        say({ kind: 'welcome', protocol: 9 }),
        /desk\.sock is no desk of this version \(it speaks protocol 9, this is 1\)\. Nothing was launched\. End it and start again\./u,
      ],
      [
        say({ kind: 'hail' }),
        /is no desk of this version \(the desk sent a message that this version does not know\)/u,
      ],
      [say({ kind: 'opened', session: 'x' }), /is no desk of this version \(opened before the welcome\)/u],
      [() => undefined, /is no desk of this version \(no welcome within 5 s\)/u],
    ];
    for (const [greet, words] of cases) {
      const rig = Rig.make(t);
      const connections = await fakeDesk(t, rig, greet);
      const { code, said, answer } = await refused(rig.runTools());
      assert.match(said, words);
      assert.equal(code, 3, said);
      assert.match(answer ?? '', words);
      assert.equal(connections(), 1);
      assert.deepEqual(rig.records(), []);
    }
  },
);

test('a desk that closes at once: waited for, then said', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  await fakeDesk(t, rig, (socket) => socket.end());
  const { code, said, answer } = await refused(rig.runTools());
  assert.equal(code, 3, said);
  assert.match(
    answer ?? '',
    /desk did not start \(the desk closed the connection\)\. Nothing was launched\. Look at \S*\/run and start again\./u,
  );
});

/** Id of a start question that was asked before or after the reviewer came. */
async function waiting(review: Reviewer, server: string): Promise<string> {
  const asked = (): Message[] => [
    ...review.seen.flatMap((message) => (message.kind === 'snapshot' ? message.questions : [])),
    ...review.questions(),
  ];
  const question = await until('question', () => asked().find((one) => one.server === server));
  return question.id;
}

test('a stale socket is replaced', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  mkdirSync(rig.places.runtime, { recursive: true, mode: 0o700 });
  const listen = `require('net').createServer().listen(${JSON.stringify(rig.places.socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
  assert.equal(spawnSync(process.execPath, ['-e', listen]).signal, 'SIGKILL');
  assert.ok(existsSync(rig.places.socket));
  const run = rig.runTools();
  const ready = run.ready();
  await until('a desk', () => rig.desk() !== undefined);
  const review = await rig.reviewer();
  review.answer(await waiting(review, 'tools'), 'once');
  await ready;
});

test(
  'two starts at the same moment without a desk: one desk, two sessions',
  { timeout: 300_000 },
  async (t) => {
    const rig = Rig.make(t);
    const runs = [rig.run(['--name', 'one', '--', 'cat']), rig.run(['--name', 'two', '--', 'cat'])];
    const answers = runs.map((run) => run.initialize());
    await until('both are announced', () => recordsOf(rig, 'session opened').length === 2);
    const review = await rig.reviewer();
    for (const server of ['one', 'two']) review.answer(await waiting(review, server), 'deny');
    for (const answer of answers) assert.match((await answer).error.message, /denied/u);
    for (const run of runs) assert.equal((await run.ended()).code, 3, run.stderr);
    assert.equal(recordsOf(rig, 'desk started').length, 1);
    // The desk that came second waits this long for the place before it goes; until then it could still take it.
    await delay(timings.lockMs + 500);
    assert.equal(recordsOf(rig, 'birth').length, 0);
  },
);

test('a supervisor whose shim or client has gone launches nothing', { timeout: 300_000 }, async (t) => {
  const rig = Rig.make(t);
  const supervisor = inCheckout('dist', 'supervisor.js');
  // As when the shim died before the supervisor could look: its parent is another than was said.
  const orphan = spawnSync(process.execPath, [supervisor, '--', 'true'], {
    env: { KINWATCH_HOME: rig.home, KINWATCH_SHIM: '1' },
    input: '',
    encoding: 'utf8',
  });
  assert.equal(orphan.status, 3, orphan.stderr);
  assert.match(orphan.stderr, /^kinwatch: the program that launched kinwatch run has gone[^\n]*\n$/u);
  assert.deepEqual(rig.records(), []);
  // A client that dies while its start waits.
  const review = await rig.reviewer();
  const source = `
    const { spawn } = require('node:child_process');
    const child = spawn(${JSON.stringify(launcher)}, ['run', '--name', 'left', '--', 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
    process.stdin.once('data', () => process.kill(process.pid, 'SIGKILL'));`;
  const client = spawn(process.execPath, ['-e', source], {
    env: rig.environment,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const question = await review.find('question', ({ server }) => server === 'left');
  const opened = recordsOf(rig, 'session opened')[0]?.supervisor;
  assert.ok(opened);
  client.stdin.write('die');
  await until('the supervisor has ended', () => !isAlive(opened));
  await review.find('withdrawn', ({ id }) => id === question.id);
  assert.equal(recordsOf(rig, 'birth').length, 0);
});
