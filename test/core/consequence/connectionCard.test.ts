/** Cards of connections: one sentence each, read aloud; the rows that stand behind it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Card, connectionCard } from '../../../src/core/consequence/card.ts';
import { hasHidden } from '../../../src/core/consequence/visible.ts';
import type { ConnectionFacts, Endpoint, FileFacts } from '../../../src/core/facts.ts';

const file = (path: string, more: Partial<FileFacts> = {}): FileFacts => ({
  path,
  device: '1',
  inode: '2',
  sizeBytes: 3,
  ownerUid: 0,
  mode: 0o755,
  digest: `sha256:${'0'.repeat(64)}`,
  writable: false,
  ...more,
});
const program = (name: string) => ({ executable: file(`/usr/bin/${name}`) });
const inet = (address: string, port: number): Endpoint => ({ kind: 'inet', address, port });
const unix = (path: string) => ({ transport: 'unix', endpoint: { kind: 'unix', path } }) as const;
const certain = { number: 17, method: 'tools/call', tool: 'run_test', attribution: 'certain' } as const;
const base: ConnectionFacts = {
  pid: 48511,
  startedAt: '2026-03-12T14:05:00.000Z',
  ppid: 48192,
  user: 'dev',
  action: 'connect',
  transport: 'tcp',
  endpoint: inet('198.51.100.7', 22),
  host: 'build.example',
  argv: ['ssh', '-o', 'BatchMode=yes', 'build.example'],
  cwd: '/home/dev/src/parcel',
  program: program('ssh'),
};
const { host: _host, ...nameless } = base;
const curl = { ...nameless, program: program('curl'), argv: ['curl', 'x'] };
const node = { ...nameless, program: program('node'), argv: ['node'] };
const context = {
  server: 'repo-tools',
  session: '7f3a',
  client: {
    pid: 21407,
    startTicks: 1,
    startedAt: '2026-03-12T13:48:02.000Z',
    exe: '/usr/share/code/code',
    argv: ['/usr/share/code/code'],
  },
  workspaceFolders: ['/home/dev/src/parcel'],
  home: '/home/dev',
};
const value = (card: Card, label: string): string =>
  card.rows.find((row) => row.label === label)?.value ?? '';
const network = (facts: ConnectionFacts): string => value(connectionCard(facts, context), 'Network');

test('one sentence says who reaches what, as whom', () => {
  const cases: [string, ConnectionFacts, string, boolean][] = [
    [
      'the system’s ssh, certain request',
      { ...base, request: certain },
      'ssh, started for run_test #17, will connect to build.example port 22 as dev.',
      true,
    ],
    [
      'ssh that signs in under another name and runs something',
      { ...base, argv: ['ssh', 'ci@build.example', 'uptime'] },
      'ssh will connect to build.example port 22 as ci and run uptime there.',
      true,
    ],
    [
      'ssh through another machine than its operand',
      { ...base, host: 'jump.example', argv: ['ssh', 'ci@build.example', 'uptime'] },
      'ssh will connect to jump.example port 22 as dev.',
      true,
    ],
    [
      'one of several requests is not named',
      { ...base, request: { ...certain, attribution: 'one-of' } },
      'ssh will connect to build.example port 22 as dev.',
      true,
    ],
    [
      'a file of the family that calls itself ssh',
      { ...base, program: { executable: file('/home/dev/bin/ssh', { ownerUid: 1000, writable: true }) } },
      '~/bin/ssh will connect to build.example port 22 as dev.',
      true,
    ],
    [
      'a script',
      {
        ...base,
        program: { ...program('python3'), script: file('/home/dev/src/parcel/fetch.py') },
        request: certain,
      },
      '~/src/parcel/fetch.py, run by python3 for run_test #17, will connect to build.example port 22 as dev.',
      true,
    ],
    [
      'code on the command line',
      { ...curl, program: { ...program('python3'), inline: { option: '-c', text: 'x()' } } },
      'python3, running code from its command line, will connect to 198.51.100.7 port 22 as dev.',
      false,
    ],
    [
      'code on standard input',
      { ...curl, program: { ...program('python3'), codeOnStdin: true }, request: certain },
      'python3, running code from its standard input for run_test #17, will connect to 198.51.100.7 port 22 as dev.',
      false,
    ],
    [
      'an IPv6 address',
      { ...curl, endpoint: inet('2001:db8::7', 443) },
      'curl will connect to 2001:db8::7 port 443 as dev.',
      true,
    ],
    [
      'a datagram',
      { ...curl, action: 'send', transport: 'udp', endpoint: inet('192.0.2.53', 53) },
      'curl will send to 192.0.2.53 port 53 over UDP as dev.',
      true,
    ],
    [
      'a connected datagram socket sends too',
      { ...curl, transport: 'udp', endpoint: inet('192.0.2.53', 53) },
      'curl will send to 192.0.2.53 port 53 over UDP as dev.',
      true,
    ],
    [
      'ping',
      { ...curl, action: 'send', transport: 'icmp', endpoint: inet('192.0.2.1', 0) },
      'curl will send ICMP messages (ping) to 192.0.2.1 as dev.',
      true,
    ],
    [
      'a program of this machine',
      { ...curl, endpoint: inet('127.0.0.1', 5432), listener: '/usr/lib/postgresql/16/bin/postgres' },
      'curl will connect to postgres on this machine, 127.0.0.1 port 5432, as dev.',
      true,
    ],
    [
      'this machine, nobody knows whom',
      { ...curl, endpoint: inet('::1', 5432), host: 'localhost' },
      'curl will connect to this machine, localhost port 5432, as dev.',
      true,
    ],
    [
      'Docker',
      { ...node, ...unix('/run/docker.sock'), listener: '/usr/bin/dockerd', request: certain },
      'node, started for run_test #17, will hand work to Docker through /run/docker.sock as dev.',
      false,
    ],
    [
      'an unknown socket',
      { ...node, ...unix('/run/postgresql/.s.PGSQL.5432'), listener: '/usr/lib/postgresql/16/bin/postgres' },
      'node will talk to postgres through /run/postgresql/.s.PGSQL.5432 as dev.',
      false,
    ],
    [
      'an unknown socket of an unknown program',
      { ...node, ...unix('/run/x.sock') },
      'node will talk to another program through /run/x.sock as dev.',
      false,
    ],
    [
      'listening everywhere',
      { ...node, action: 'listen', endpoint: inet('::', 8080) },
      'node will accept connections on port 8080, from every network that this machine is on.',
      true,
    ],
    [
      'listening here',
      { ...node, action: 'listen', endpoint: inet('127.0.0.1', 0), request: certain },
      'node, started for run_test #17, will accept connections on a port that the system chooses, from this machine only.',
      true,
    ],
    [
      'listening at one address',
      { ...node, action: 'listen', endpoint: inet('10.0.0.5', 8080) },
      'node will accept connections on port 8080, from the network of 10.0.0.5.',
      true,
    ],
    [
      'listening for datagrams',
      { ...node, action: 'listen', transport: 'udp', endpoint: inet('0.0.0.0', 5353) },
      'node will receive what is sent over UDP on port 5353, from every network that this machine is on.',
      true,
    ],
    [
      'a socket of its own',
      { ...node, action: 'listen', ...unix('/tmp/x.sock') },
      'node will accept connections from programs of this machine through /tmp/x.sock.',
      true,
    ],
  ];
  for (const [what, facts, headline, complete] of cases) {
    const card = connectionCard(facts, context);
    assert.equal(card.headline, headline, what);
    assert.equal(card.headlineComplete, complete, what);
    assert.equal(card.headlineParts.map(({ text }) => text).join(''), headline, what);
  }
});

test('only what reaches a program outside by a socket of this machine is work handed outside', () => {
  const transition = (facts: ConnectionFacts): string => connectionCard(facts, context).transition;
  assert.equal(transition({ ...node, ...unix('/run/x.sock') }), 'work handed outside');
  assert.equal(transition({ ...node, ...unix('/run/x.sock'), action: 'listen' }), 'local to network');
  assert.equal(transition(base), 'local to network');
});

test('rows stand in the design’s order', () => {
  assert.deepEqual(
    connectionCard(base, context).rows.map(({ label }) => label),
    ['Requested by', 'Server', 'Because of', 'Runs', 'With', 'In', 'Network', 'May start', 'Why now'].concat([
      'If you allow',
      'If you deny',
    ]),
  );
});

test('the network row says where it leads, how that is known and who is there', () => {
  const cases: [ConnectionFacts, string][] = [
    [
      base,
      'build.example, as its arguments name it; resolves to 198.51.100.7, a public address.\nTCP port 22, usually SSH.',
    ],
    [
      { ...curl, endpoint: inet('10.1.2.3', 8443) },
      '10.1.2.3, a private address: your own network; its arguments name no host for it.\nTCP port 8443.',
    ],
    [
      { ...curl, endpoint: inet('127.0.0.1', 5432), listener: '/usr/bin/postgres' },
      '127.0.0.1, this machine itself; its arguments name no host for it.\nTCP port 5432, usually PostgreSQL.\n' +
        '/usr/bin/postgres listens there, on this machine.',
    ],
    [
      { ...node, ...unix('/run/docker.sock'), listener: '/usr/bin/dockerd' },
      '/run/docker.sock, the socket of Docker.\n/usr/bin/dockerd listens there, on this machine.\n' +
        'It can start containers outside this family, with any folder of this machine.',
    ],
    [
      { ...node, action: 'listen', endpoint: inet('0.0.0.0', 8080) },
      'All addresses of this machine (0.0.0.0): whoever reaches this machine can reach it.\nTCP port 8080.',
    ],
  ];
  for (const [facts, expected] of cases) assert.equal(network(facts), expected);
  assert.match(network({ ...curl, endpoint: inet('169.254.169.254', 80) }), /credentials\.$/u);
  assert.match(
    network({ ...base, endpoint: inet('127.0.0.1', 80) }),
    /The name leads to this machine itself\.$/u,
  );
  assert.match(network({ ...curl, endpoint: inet('::ffff:10.0.0.1', 80) }), /private address/u);
  assert.match(network({ ...curl, endpoint: inet('::ffff:a00:1', 80) }), /private address/u);
  assert.match(
    network({ ...curl, endpoint: inet('fe80::1%eth0', 80) }),
    /fe80::1%eth0, a link-local address/u,
  );
});

test('what allow and deny mean is said exactly', () => {
  const card = connectionCard({ ...base, request: certain }, context);
  assert.equal(
    value(card, 'If you allow'),
    'Once: this connection only. Other addresses of the same name may be tried until one of them answers.\n' +
      'Session: this program to build.example port 22, until repo-tools ends.',
  );
  assert.equal(
    value(card, 'If you deny'),
    'ssh isn’t connected: it gets “permission denied” (EACCES) and goes on. ' +
      'The agent’s call of run_test returns an error that names this rule.',
  );
  const listen = connectionCard({ ...node, action: 'listen', endpoint: inet('::', 8080) }, context);
  assert.match(value(listen, 'If you allow'), /Session: this program listening on port 8080, until/u);
  assert.match(value(listen, 'If you deny'), /^node doesn’t listen/u);
  const sent = connectionCard({ ...curl, transport: 'udp' }, context);
  assert.match(value(sent, 'If you allow'), /^Once: this time only\.\nSession: this program to 198/u);
  assert.match(value(sent, 'If you deny'), /^curl sends nothing there: it gets/u);
});

test('hidden characters are tokens everywhere, secrets are masked, and the sentence is then not whole', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const cases: ConnectionFacts[] = [
    { ...base, host: 'build\u202e.example' },
    { ...node, ...unix('/run/\u200bdocker.sock') },
    { ...curl, listener: '/usr/bin/post\u2066gres', endpoint: inet('127.0.0.1', 80) },
    { ...base, program: { ...program('python3'), script: file('/tmp/a\nb.py') } },
    { ...base, host: `${secret}.example` },
    { ...base, host: `${'long.'.repeat(30)}example` },
  ];
  for (const facts of cases) {
    const card = connectionCard(facts, context);
    assert.equal(card.headlineComplete, false);
    assert.equal(hasHidden(card.headline.replaceAll(/[⟦⟧]/gu, '')), false);
    for (const { value: text } of card.rows) {
      assert.equal(hasHidden(text.replaceAll(/[⟦⟧]/gu, ''), 'block'), false, text);
      assert.equal(text.includes(secret), false, text);
    }
  }
});
