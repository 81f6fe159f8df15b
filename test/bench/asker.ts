/** What the benches of a session share: a client that asks one thing at a time, and Kinwatch beside the bare server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { LineCutter } from '../../src/protocol/lines.ts';
import { launcher, Rig, type Reviewer } from '../process/rig.ts';

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

export const begin = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
  arguments: {},
};

/** A client that asks one thing at a time. */
export class Asker {
  private readonly cutter = new LineCutter(1 << 30);
  private id = 0;
  private answered: (line: Buffer) => void = () => undefined;

  constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => {
      for (const event of this.cutter.push(chunk)) if (event.kind === 'line') this.answered(event.bytes);
    });
  }

  static of(argv: readonly string[], env?: NodeJS.ProcessEnv, cwd?: string): Asker {
    return new Asker(
      spawn(argv[0] ?? '', argv.slice(1), {
        stdio: ['pipe', 'pipe', 'ignore'],
        ...(env !== undefined && { env }),
        ...(cwd !== undefined && { cwd }),
      }),
    );
  }

  async ask(method: string, params: unknown): Promise<Buffer> {
    const line = new Promise<Buffer>((resolve) => (this.answered = resolve));
    this.child.stdin?.write(`${JSON.stringify({ method, params, jsonrpc: '2.0', id: this.id++ })}\n`);
    const answered = await line;
    const answer = JSON.parse(answered.toString());
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answered;
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }
}

/** A Kinwatch of its own for a bench: the desk, a reviewer who allows each server once for its session. */
export class Bench {
  private readonly cleanups: (() => unknown)[] = [];
  readonly rig: Rig;
  private review: Reviewer | undefined;
  private readonly allowed = new Set<string>();

  constructor() {
    // The rig cleans up through a test's context; here the bench is the test.
    this.rig = Rig.make({
      after: (clean: () => unknown) => this.cleanups.push(clean),
    } as unknown as TestContext);
  }

  async reviewer(): Promise<Reviewer> {
    this.review ??= await this.rig.reviewer();
    return this.review;
  }

  /** The server by itself. */
  async bare(command: readonly string[]): Promise<Asker> {
    const asker = Asker.of(command, this.rig.environment, this.rig.home);
    await asker.ask('initialize', begin);
    return asker;
  }

  /** A server behind `kinwatch run`, allowed to start. */
  async kinwatch(name: string, command: readonly string[]): Promise<Asker> {
    const review = await this.reviewer();
    const { rig } = this;
    const asker = Asker.of([launcher, 'run', '--name', name, '--', ...command], rig.environment, rig.home);
    const ready = asker.ask('initialize', begin);
    if (!this.allowed.has(name)) {
      await review.decide('session', ({ server }) => server === name);
      this.allowed.add(name);
    }
    await ready;
    return asker;
  }

  async close(): Promise<void> {
    for (const clean of this.cleanups.toReversed()) await clean();
  }
}
