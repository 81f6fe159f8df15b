/** The people and programs of the gallery's states: session 7f3a of repo-tools, 2026-03-12, UTC. */
import { type Card, connectionCard, execCard, startCard } from '../../src/core/consequence/card.ts';
import type {
  ClientFacts,
  ConnectionFacts,
  ExecFacts,
  FileFacts,
  RequestRef,
  StartFacts,
} from '../../src/core/facts.ts';
import type { Certificate, ProcessView, Question, SessionView } from '../../src/protocol/desk.ts';
import type { PanelQuestion, PanelState } from '../../src/protocol/panel.ts';

export const now = '2026-03-12T14:04:47.000Z';

export const at = (clock: string): string => `2026-03-12T${clock}${clock.includes('.') ? '' : '.000'}Z`;

export const file = (path: string, more: Partial<FileFacts> = {}): FileFacts => ({
  path,
  device: '1',
  inode: '2',
  sizeBytes: 3,
  ownerUid: 0,
  mode: 0o755,
  digest: 'sha256:b81c4e0729fa06d17c3390d1a4418f1b4ac5f2f9d1be6a20c9e1b1a2f0d37c55',
  writable: false,
  ...more,
});

export const client: ClientFacts = {
  pid: 21407,
  startTicks: 1,
  startedAt: at('13:48:02'),
  exe: '/usr/share/code/code',
  argv: ['/usr/share/code/code', '--type=utility'],
  claims: { name: 'Visual Studio Code', version: '1.106.0' },
};

export const request = (number: number, tool: string): RequestRef => ({
  number,
  method: 'tools/call',
  tool,
  attribution: 'certain',
});

export const process = (
  pid: number,
  ppid: number,
  argv: string[],
  more: Partial<ProcessView> = {},
): ProcessView => ({
  pid,
  ppid,
  startedAt: at('14:01:07'),
  state: 'running',
  exe: `/usr/bin/${argv[0] ?? ''}`,
  argv,
  cwd: '/home/dev/src/parcel',
  detached: false,
  ...more,
});

export const ended = (status = 'exit 0'): Partial<ProcessView> => ({
  state: 'ended',
  status,
  endedAt: at('14:03:26'),
});

export const coverage = {
  level: 'held',
  text: 'execs and connections held, datagrams judged, not pinned',
  gaps: {},
} as const;

export const session = (more: Partial<SessionView> = {}): SessionView => ({
  session: '7f3a',
  server: 'repo-tools',
  client,
  state: 'running',
  coverage,
  startedAt: at('14:01:07'),
  overrides: [],
  processes: [],
  endedUnlisted: 0,
  ...more,
});

const context = {
  server: 'repo-tools',
  session: '7f3a',
  client,
  workspaceFolders: ['/home/dev/src/parcel'],
  home: '/home/dev',
};

export const exec = (more: Partial<ExecFacts>): ExecFacts => ({
  pid: 48602,
  startedAt: at('14:04:43'),
  ppid: 48590,
  parentExe: '/usr/bin/node',
  user: 'dev',
  requested: '/usr/bin/true',
  argv: ['true'],
  argvUnreadBytes: 0,
  cwd: '/home/dev/src/parcel',
  program: { executable: file('/usr/bin/true') },
  ...more,
});

export const connection = (more: Partial<ConnectionFacts>): ConnectionFacts => ({
  pid: 48610,
  startedAt: at('14:04:45'),
  ppid: 48192,
  user: 'dev',
  action: 'connect',
  transport: 'tcp',
  endpoint: { kind: 'inet', address: '198.51.100.7', port: 22 },
  argv: ['ssh', '-o', 'BatchMode=yes', 'build.example', 'uptime'],
  cwd: '/home/dev/src/parcel',
  program: { executable: file('/usr/bin/ssh') },
  ...more,
});

export function execQuestion(
  id: string,
  facts: ExecFacts,
  expiresAt: string,
  askedAt: string,
): PanelQuestion {
  return asked(id, facts, execCard(facts, context), expiresAt, askedAt);
}

export function connectionQuestion(
  id: string,
  facts: ConnectionFacts,
  expiresAt: string,
  askedAt: string,
): PanelQuestion {
  return asked(id, facts, connectionCard(facts, context), expiresAt, askedAt);
}

function asked(
  id: string,
  facts: ExecFacts | ConnectionFacts,
  card: Card,
  expiresAt: string,
  askedAt: string,
): PanelQuestion {
  return {
    question: {
      kind: 'question',
      id,
      session: '7f3a',
      server: 'repo-tools',
      ...card,
      group: id,
      options: ['deny', 'once', 'session', 'contain'],
      askedAt,
      expiresAt,
      heldUntil: expiresAt,
      process: { pid: facts.pid, startedAt: facts.startedAt },
      ...(facts.request === undefined ? {} : { request: facts.request }),
    } satisfies Question,
  };
}

export const startFacts: StartFacts = {
  server: 'repo-tools',
  source: '/home/dev/.config/kinwatch/servers.jsonc',
  user: 'dev',
  host: 'devbox',
  command: 'node',
  argv: ['node', '/opt/repo-tools/server.js', '--root', '/home/dev/src/parcel'],
  resolution: 'Found in PATH entry 4 of 5.',
  program: { executable: file('/usr/bin/node'), script: file('/opt/repo-tools/server.js') },
  cwd: '/home/dev/src/parcel',
  environment: {
    passed: ['HOME', 'LANG', 'PATH', 'TERM'],
    configured: ['API_TOKEN'],
    dropped: ['AWS_SECRET_ACCESS_KEY', 'VSCODE_IPC_HOOK'],
    credentials: ['API_TOKEN'],
    secrets: ['AWS_SECRET_ACCESS_KEY'],
    pathFrom: 'the client',
    search: [],
    path: '/usr/local/bin:/usr/bin:/bin',
    home: '/home/dev',
    tmpdir: '/tmp/kinwatch-7f3a',
  },
  client,
  overrides: ['KINWATCH_HOME=/tmp/demo'],
};

export function startQuestion(id: string): PanelQuestion {
  return {
    question: {
      kind: 'question',
      id,
      session: 'aa01',
      server: 'repo-tools',
      ...startCard(startFacts, ['/home/dev/src/parcel']),
      group: id,
      options: ['deny', 'once', 'session'],
      askedAt: at('14:04:40'),
      heldUntil: at('14:05:40'),
    },
  };
}

export const certificate = (more: Partial<Certificate> = {}): Certificate => ({
  session: '7f3a',
  cause: 'contained by reviewer',
  signalled: [
    {
      pid: 48602,
      startedAt: at('14:04:43'),
      command: '/usr/bin/sh',
      signals: [{ signal: 'SIGKILL', at: at('14:07:12.004') }],
    },
    {
      pid: 48192,
      startedAt: at('14:01:07'),
      command: '/usr/bin/node',
      signals: [{ signal: 'SIGKILL', at: at('14:07:12.004') }],
    },
    {
      pid: 48247,
      startedAt: at('14:03:24'),
      command: '/home/dev/src/parcel/runner/helper',
      signals: [{ signal: 'SIGKILL', at: at('14:07:12.005') }],
    },
  ],
  survivors: 0,
  proved: true,
  outside: [],
  evidence: { folder: '/home/dev/.local/state/kinwatch/evidence/7f3a', manifest: 'sha256:90d47be155c0aa17' },
  gaps: [],
  requestedAt: at('14:07:11.902'),
  durationMs: 141,
  evidenceMs: 98.4,
  ...more,
});

export const base: PanelState = {
  desk: { kind: 'connected' },
  restricted: false,
  servers: [
    { name: 'repo-tools', command: 'node /opt/repo-tools/server.js' },
    { name: 'stack-tools', command: 'python3 /opt/stack-tools/main.py' },
  ],
  proposals: [],
  questions: [],
  sessions: [],
  refusals: [],
  certificates: [],
  openFiles: [],
};
