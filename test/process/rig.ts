/** A Kinwatch of its own for one test: the built command, a home in a temporary directory, and this test as client and reviewer. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Message, OwnPeer, readRecords, recordsOf } from '../desk/harness.ts';
import { type Places, placesFor } from '../../src/protocol/places.ts';
import { readStat } from '../../src/watch/proc.ts';

export const checkout = process.cwd();
export const launcher = join(checkout, 'dist', 'kinwatch');
export const toolServer = join(checkout, 'out', 'test', 'fixtures', 'toolServer.mjs');

export interface Key {
  readonly pid: number;
  readonly startTicks: number;
}

export function isAlive({ pid, startTicks }: Key): boolean {
  const stat = readStat(pid);
  return stat?.startTicks === startTicks && !stat.ended;
}

/** Polls until it gives something. A process test waits for real programs on a busy machine: the limit is generous. */
export async function until<T>(what: string | (() => string), look: () => T | undefined | false): Promise<T> {
  const end = Date.now() + Number(process.env['KINWATCH_TEST_PATIENCE_MS'] ?? 60_000);
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end)
      throw new Error(`did not happen in time: ${typeof what === 'string' ? what : what()}`);
    await delay(10);
  }
}

export class Rig {
  readonly places: Places;
  readonly runs: Run[] = [];
  /** Ends clients of a test's own, before it is looked whether anybody is left. */
  readonly atClose: (() => Promise<void>)[] = [];

  private constructor(
    readonly t: TestContext,
    readonly home: string,
  ) {
    this.places = placesFor(home, undefined, process.getuid?.() ?? 0);
  }

  static make(t: TestContext): Rig {
    const rig = new Rig(t, mkdtempSync(join(tmpdir(), 'kwp-')));
    t.after(() => rig.close());
    return rig;
  }

  get environment(): NodeJS.ProcessEnv {
    return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: this.home, KINWATCH_HOME: this.home };
  }

  /** This test as reviewer of its own desk, started by the launcher when there is none yet. */
  async reviewer(): Promise<Reviewer> {
    if (!existsSync(this.places.socket)) spawnSync(launcher, ['desk'], { env: this.environment });
    await until('desk socket', () => existsSync(this.places.socket));
    const peer = new OwnPeer(this.t, this.places.socket);
    peer.send({
      kind: 'hello',
      role: 'reviewer',
      protocol: 1,
      token: Buffer.alloc(32, 9).toString('base64url'),
    });
    await until('welcome', () => peer.seen.some(({ kind }) => kind === 'welcome'));
    return new Reviewer(peer);
  }

  /** `kinwatch run …` as an MCP client starts it. */
  run(argv: readonly string[], environment: NodeJS.ProcessEnv = {}): Run {
    const child = spawn(launcher, ['run', ...argv], {
      env: { ...this.environment, ...environment },
      cwd: this.home,
    });
    const run = new Run(child);
    this.runs.push(run);
    return run;
  }

  runTools(environment: NodeJS.ProcessEnv = {}): Run {
    return this.run(['--name', 'tools', '--', process.execPath, toolServer], environment);
  }

  /** The command line, to its end. */
  command(...argv: string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(launcher, argv, { env: this.environment, encoding: 'utf8', timeout: 60_000 });
  }

  members(): Key[] {
    return recordsOf(this, 'birth').map(({ pid, startTicks }) => ({ pid, startTicks }));
  }

  records(): ReturnType<typeof readRecords> {
    return readRecords(this);
  }

  /** Ends what the test left, and proves that every member ever born is gone. */
  async close(): Promise<void> {
    for (const run of this.runs) run.child.kill('SIGKILL');
    for (const end of this.atClose) await end();
    const members = this.members();
    await until('every family has ended', () => members.every((member) => !isAlive(member)));
    const desk = this.desk();
    if (desk !== undefined && isAlive(desk)) process.kill(desk.pid, 'SIGTERM');
    await until('the desk has ended', () => desk === undefined || !isAlive(desk));
    const left = this.members().filter(isAlive);
    rmSync(this.home, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`members left alive: ${JSON.stringify(left)}`);
  }

  desk(): Key | undefined {
    const path = join(this.places.runtime, 'desk.pid');
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Key) : undefined;
  }
}

/** A tool server that was allowed to start and is past its start-up, and its reviewer. */
export interface Started {
  readonly rig: Rig;
  readonly review: Reviewer;
  readonly run: Run;
  readonly session: string;
}

export async function started(t: TestContext): Promise<Started> {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const run = rig.runTools();
  const ready = run.ready();
  const { session } = await review.decide('once');
  await ready;
  return { rig, review, run, session };
}

/** A question about a program that was not seen before. */
export function isExec({ transition }: { readonly transition: string }): boolean {
  return transition === 'new executable';
}

/** Sees everything the desk says, in order; takes nothing away. */
export class Reviewer {
  constructor(readonly peer: OwnPeer) {}

  get seen(): readonly Message[] {
    return this.peer.seen;
  }

  find(kind: string, matches: (message: Message) => boolean = () => true): Promise<Message> {
    const look = (): Message => this.seen.find((message) => message.kind === kind && matches(message));
    return until(
      `${kind} among ${JSON.stringify(this.seen.map(({ kind: seen, headline, ...more }) => headline ?? (seen === 'refusal' ? more : seen)))}`,
      look,
    );
  }

  questions(): Message[] {
    return this.seen.filter(({ kind }) => kind === 'question');
  }

  answer(id: string, choice: string): void {
    this.peer.send({ kind: 'answer', id, choice });
  }

  /** Answers the next question that matches; gives it. */
  async decide(choice: string, matches: (question: Message) => boolean = () => true): Promise<Message> {
    const answered = (id: string): boolean =>
      this.seen.some((message) => message.kind === 'answered' && message.id === id);
    const question = await this.find('question', (message) => matches(message) && !answered(message.id));
    this.answer(question.id, choice);
    await this.find('answered', ({ id }) => id === question.id);
    return question;
  }
}

/** One client's end of a supervised server: plain JSON-RPC lines. */
export class Run {
  readonly received: Message[] = [];
  stderr = '';
  exit: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  closed = false;
  private nextId = 1;
  private rest = '';

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (this.rest + chunk.toString('utf8')).split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) this.received.push(JSON.parse(line));
    });
    child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    child.stdin.on('error', () => undefined);
    child.on('exit', (code, signal) => (this.exit = { code, signal }));
    child.on('close', () => (this.closed = true));
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  ask(method: string, params: object = {}, meta: object = {}): number {
    const id = this.nextId;
    this.nextId += 1;
    this.send({ id, method, params: { ...params, ...meta } });
    return id;
  }

  answerTo(id: number): Promise<Message> {
    return until(
      () => `answer to ${id}; stderr: ${this.stderr}`,
      () => {
        const found = this.received.find((message) => message.id === id);
        if (found !== undefined || !this.closed) return found;
        throw new Error(`no answer to ${id}, and the run has ended; stderr: ${this.stderr}`);
      },
    );
  }

  async request(method: string, params: object = {}): Promise<Message> {
    return this.answerTo(this.ask(method, params));
  }

  initialize(name = 'test client'): Promise<Message> {
    return this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name, version: '1' },
    });
  }

  async ready(): Promise<void> {
    await this.initialize();
    this.send({ method: 'notifications/initialized' });
  }

  call(name: string, args: object = {}): number {
    return this.ask('tools/call', { name, arguments: args });
  }

  /** The tool's own first text, parsed. */
  static value(answer: Message, index = 0): Message {
    return JSON.parse(answer.result.content[index].text);
  }

  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return until('the shim has exited', () => this.exit);
  }
}

/** Path of a file in the checkout. */
export function inCheckout(...parts: string[]): string {
  return resolve(checkout, ...parts);
}
