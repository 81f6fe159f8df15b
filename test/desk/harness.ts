/** A desk on a home of its own, and peers that are real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientFacts, ConnectionFacts, ExecFacts, StartFacts } from '../../src/core/facts.ts';
import { isAlive } from '../../src/desk/processes.ts';
import { type DeskOptions, type RunningDesk, startDesk } from '../../src/desk/run.ts';
import { timings } from '../../src/desk/timings.ts';
import type { JournalRecord, RecordBody } from '../../src/journal/record.ts';
import { type Places, placesFor } from '../../src/protocol/places.ts';
import { readStat, startTimeOf } from '../../src/watch/proc.ts';

export const uid = process.getuid?.() ?? 0;
export const token = Buffer.alloc(32, 7).toString('base64url');

/** Polls until it gives something else than undefined or false. */
export async function until<T>(what: string, look: () => T | undefined | false): Promise<T> {
  const end = Date.now() + 10_000;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`did not happen in time: ${what}`);
    await delay(5);
  }
}

export function makePlaces(t: TestContext): Places {
  const home = mkdtempSync(join(tmpdir(), 'kw-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return placesFor(home, undefined, uid);
}

export interface TestDesk {
  readonly places: Places;
  readonly desk: RunningDesk;
}

export interface DeskChange extends Partial<Omit<DeskOptions, 'timings'>> {
  readonly timings?: Partial<DeskOptions['timings']>;
}

/** A desk in this process, ended after the test. */
export async function runDesk(t: TestContext, change: DeskChange = {}): Promise<TestDesk> {
  const places = change.places ?? makePlaces(t);
  const start = await startDesk({
    places,
    uid,
    user: 'dev',
    processTable: () => Promise.resolve([{ pid: 1, name: 'init' }]),
    ...change,
    timings: { ...timings, ...change.timings },
  });
  if (start.kind !== 'running') throw new Error(start.kind);
  t.after(() => start.desk.stop('test over'));
  return { places, desk: start.desk };
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever the desk said
export type Message = any;

/** One connection's messages, kept until they are asked for. */
export abstract class LinePeer {
  readonly seen: Message[] = [];
  isClosed = false;
  private rest = '';

  abstract send(message: object | string): void;

  /** The next message of that kind that was not taken yet. */
  async next(kind: string, matches: (message: Message) => boolean = () => true): Promise<Message> {
    const found = await until(`message ${kind}, seen ${JSON.stringify(this.seen).slice(0, 2_000)}`, () => {
      const index = this.seen.findIndex((message) => message.kind === kind && matches(message));
      return index === -1 ? undefined : this.seen.splice(index, 1);
    });
    return found[0];
  }

  async closed(): Promise<void> {
    await until('closed', () => this.isClosed);
  }

  protected take(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line);
  }

  protected line(line: string): void {
    this.seen.push(JSON.parse(line));
  }
}

/** A connection of this test's own process. */
export class OwnPeer extends LinePeer {
  readonly socket: Socket;

  constructor(t: TestContext, path: string) {
    super();
    this.socket = createConnection(path);
    this.socket.on('data', (chunk) => this.take(chunk.toString('utf8')));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    t.after(() => this.socket.destroy());
  }

  send(message: object | string): void {
    this.socket.write(
      typeof message === 'string' || Buffer.isBuffer(message) ? message : `${JSON.stringify(message)}\n`,
    );
  }
}

/**
 * Runs in a child: carries lines between stdio and the socket. `$` lines are for itself: `spawn` starts a
 * long-lived process, `peer` another such child, `child` is a line for that one.
 */
const bridge = `
const net = require('node:net'), { spawn } = require('node:child_process');
const [source, path] = [process.env.BRIDGE, process.env.SOCKET];
const out = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const lines = (stream, each) => { let rest = ''; stream.setEncoding('utf8'); stream.on('data', (text) => {
  const parts = (rest + text).split('\\n'); rest = parts.pop(); parts.forEach(each); }); };
let socket, child;
const connect = () => { socket = net.connect(path); socket.on('error', () => {}); lines(socket, (line) => process.stdout.write(line + '\\n'));
  socket.on('close', () => out({ $: 'closed' })); };
lines(process.stdin, (line) => {
  const value = line.startsWith('{"$"') ? JSON.parse(line) : undefined;
  if (value === undefined) return void socket.write(line + '\\n');
  if (value.$ === 'connect') return connect();
  if (value.$ === 'spawn') { const p = spawn('sleep', ['1000'], { stdio: 'ignore' }); return out({ $: 'spawned', pid: p.pid }); }
  if (value.$ === 'peer') { child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
    lines(child.stdout, (line) => out({ $: 'child', line })); return out({ $: 'spawned', pid: child.pid }); }
  if (value.$ === 'child') return void child.stdin.write(value.line + '\\n');
});
process.stdin.on('end', () => { if (child) child.stdin.end(); process.exit(); });
`;

/** A connection of a child process. */
export class ChildPeer extends LinePeer {
  readonly process: ChildProcess;
  readonly control: Message[] = [];

  /** @param argv shown in its command line, read by nobody. */
  constructor(t: TestContext, path: string, argv: readonly string[] = []) {
    super();
    this.process = spawn(process.execPath, ['-e', bridge, '--', ...argv], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { BRIDGE: bridge, SOCKET: path, PATH: process.env['PATH'] },
    });
    this.process.stdout?.on('data', (chunk: Buffer) => this.take(chunk.toString('utf8')));
    this.process.stdin?.on('error', () => undefined);
    const key = keyOf(this.pid);
    t.after(async () => {
      this.process.stdin?.end();
      this.process.kill('SIGKILL');
      await until('child ended', () => !isAlive(key));
    });
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  connect(): this {
    this.send({ $: 'connect' });
    return this;
  }

  send(message: object | string): void {
    this.process.stdin?.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`);
  }

  /** Starts a process below this one that lives until it is ended. */
  async spawn(t: TestContext, what: 'spawn' | 'peer' = 'spawn'): Promise<number> {
    this.send({ $: what });
    const spawned = await until('spawned', () => this.control.shift());
    const key = keyOf(spawned.pid);
    t.after(async () => {
      if (isAlive(key)) process.kill(key.pid, 'SIGKILL');
      await until('grandchild ended', () => !isAlive(key));
    });
    return spawned.pid;
  }

  protected override line(line: string): void {
    const value = JSON.parse(line);
    if (value.$ === 'closed') this.isClosed = true;
    else if (value.$ === 'spawned') this.control.push(value);
    else this.seen.push(value.$ === 'child' ? JSON.parse(value.line) : value);
  }
}

export function keyOf(pid: number): { pid: number; startTicks: number; startedAt: string } {
  const startTicks = readStat(pid)?.startTicks;
  if (startTicks === undefined) throw new Error(`process ${pid} is gone`);
  return { pid, startTicks, startedAt: startTimeOf(startTicks) };
}

/** This test as a reviewer: it is the client of the sessions below, and a client itself may review. */
export async function reviewer(t: TestContext, { places }: TestDesk): Promise<OwnPeer> {
  const peer = new OwnPeer(t, places.socket);
  peer.send({ kind: 'hello', role: 'reviewer', protocol: 1, token });
  await peer.next('welcome');
  await peer.next('snapshot');
  return peer;
}

export async function operator(t: TestContext, { places }: TestDesk): Promise<OwnPeer> {
  const peer = new OwnPeer(t, places.socket);
  peer.send({ kind: 'hello', role: 'operator', protocol: 1 });
  await peer.next('welcome');
  return peer;
}

export async function supervisor(t: TestContext, { places }: TestDesk): Promise<ChildPeer> {
  const peer = new ChildPeer(t, places.socket).connect();
  peer.send({ kind: 'hello', role: 'supervisor', protocol: 1 });
  await peer.next('welcome');
  return peer;
}

export function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

/** Opens a session, allows its start once and reports a living root. */
export async function runningSession(
  t: TestContext,
  desk: TestDesk,
  review: LinePeer,
): Promise<{ link: ChildPeer; session: string; root: ReturnType<typeof keyOf> }> {
  const link = await supervisor(t, desk);
  link.send({ kind: 'open', facts: startFacts(), heldUntil: inMs(60_000) });
  const { session } = await link.next('opened');
  const question = await review.next('question', (message) => message.session === session);
  review.send({ kind: 'answer', id: question.id, choice: 'once' });
  await link.next('decision', ({ ref, allow }) => ref === 'start' && allow);
  const root = keyOf(await link.spawn(t));
  const at = new Date().toISOString();
  link.send({ kind: 'birth', ...root, ppid: link.pid, at });
  link.send({ kind: 'running', coverage: { level: 'held', text: 'execs held', gaps: {} } });
  await review.next('birth', ({ pid }) => pid === root.pid);
  return { link, session, root };
}

const file = (path: string, digest: string) => ({
  path,
  device: '1',
  inode: '2',
  sizeBytes: 3,
  ownerUid: 0,
  mode: 0o755,
  digest: `sha256:${digest.repeat(64)}`,
  writable: false,
});

export function clientFacts(): ClientFacts {
  return { ...keyOf(process.pid), exe: process.execPath, argv: ['node', 'client.js'] };
}

export function startFacts(change: Partial<StartFacts> = {}): StartFacts {
  return {
    server: 'files',
    source: '/home/dev/.config/kinwatch/servers.jsonc',
    user: 'dev',
    host: 'devbox',
    command: 'server-files',
    argv: ['server-files', '/home/dev/src'],
    resolution: 'found in PATH',
    program: { executable: file('/usr/bin/server-files', 'a') },
    cwd: '/home/dev/src',
    environment: {
      passed: ['HOME', 'PATH'],
      configured: [],
      dropped: ['API_TOKEN'],
      credentials: [],
      secrets: ['API_TOKEN'],
      pathFrom: 'the client',
      search: [],
      path: '/usr/bin:/bin',
      home: '/home/dev',
      tmpdir: '/tmp',
    },
    client: clientFacts(),
    overrides: [],
    ...change,
  };
}

export function execFacts(
  key: { pid: number; startedAt: string },
  change: Partial<ExecFacts> = {},
): ExecFacts {
  return {
    pid: key.pid,
    startedAt: key.startedAt,
    ppid: 1,
    user: 'dev',
    requested: 'ssh',
    argv: ['ssh', 'build.example', 'uptime'],
    argvUnreadBytes: 0,
    cwd: '/home/dev/src',
    program: { executable: file('/usr/bin/ssh', 'b') },
    ...change,
  };
}

export function connectionFacts(
  key: { pid: number; startedAt: string },
  change: Partial<ConnectionFacts> = {},
): ConnectionFacts {
  return {
    pid: key.pid,
    startedAt: key.startedAt,
    ppid: 1,
    user: 'dev',
    action: 'connect',
    transport: 'tcp',
    endpoint: { kind: 'inet', address: '198.51.100.7', port: 22 },
    host: 'build.example',
    argv: ['ssh', 'build.example', 'uptime'],
    cwd: '/home/dev/src',
    program: { executable: file('/usr/bin/ssh', 'b') },
    ...change,
  };
}

export function readRecords({ places }: Pick<TestDesk, 'places'>): JournalRecord[] {
  const directory = join(places.state, 'records');
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .toSorted()
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalRecord);
}

/** The records that may have this kind: some shapes serve several. */
type Body<K extends RecordBody['kind'], R extends RecordBody = RecordBody> = R extends RecordBody
  ? K extends R['kind']
    ? R
    : never
  : never;

export function recordsOf<K extends RecordBody['kind']>(desk: Pick<TestDesk, 'places'>, kind: K): Body<K>[] {
  return readRecords(desk)
    .map(({ body }) => body)
    .filter((body): body is Body<K> => body.kind === kind);
}
