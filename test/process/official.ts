/** A supervised server behind the official client, and a reviewer who allows whatever is asked and remembers it. */
import type { TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { argumentText } from '../../src/core/consequence/words.ts';
import type { RequestRef } from '../../src/core/facts.ts';
import { type Message, recordsOf } from '../desk/harness.ts';
import { isAlive, launcher, type Reviewer, Rig, until } from './rig.ts';

/** A program that really started. */
interface Program {
  readonly exe: string;
  readonly argv: readonly string[];
  readonly request: RequestRef | undefined;
}

/** Allows every question for the session, a start once, of whatever transition. Until the test ends. */
export function allowEverything(t: TestContext, review: Reviewer): readonly Message[] {
  const asked: Message[] = [];
  let looked = 0;
  const timer = setInterval(() => {
    for (; looked < review.seen.length; looked += 1) {
      const message = review.seen[looked];
      if (message.kind !== 'question') continue;
      asked.push(message);
      review.answer(message.id, message.options.includes('session') ? 'session' : 'once');
    }
  }, 5);
  t.after(() => clearInterval(timer));
  return asked;
}

export class Official {
  private constructor(
    readonly rig: Rig,
    readonly review: Reviewer,
    readonly client: Client,
    readonly transport: StdioClientTransport,
    readonly asked: readonly Message[],
    /** Whatever came, in order: the client drops progress that arrives together with its result. */
    readonly received: readonly JSONRPCMessage[],
    private readonly stderr: readonly string[],
  ) {}

  /** Past `initialize`. */
  static async start(
    t: TestContext,
    argvOf: (rig: Rig) => readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Official> {
    const rig = Rig.make(t);
    const review = await rig.reviewer();
    const asked = allowEverything(t, review);
    const transport = new StdioClientTransport({
      command: launcher,
      args: ['run', ...argvOf(rig)],
      env: { ...(rig.environment as Record<string, string>), ...environment },
      cwd: rig.home,
      stderr: 'pipe',
    });
    const stderr: string[] = [];
    transport.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk.toString('utf8')));
    rig.atClose.push(() => transport.close());
    const client = new Client({ name: 'real programs', version: '1' });
    await client.connect(transport, { timeout: 120_000 }).catch((error: unknown) => {
      throw new Error(`not connected; stderr: ${stderr.join('')}`, { cause: error });
    });
    const received: JSONRPCMessage[] = [];
    const take = transport.onmessage;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK’s transports know only `on…`
    transport.onmessage = (message) => {
      received.push(message);
      take?.(message);
    };
    return new Official(rig, review, client, transport, asked, received, stderr);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const result = (await this.client.callTool({ name, arguments: args }, undefined, {
      timeout: 120_000,
    })) as CallToolResult;
    const text = result.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n');
    assert.notEqual(result.isError, true, `${text}\nstderr: ${this.stderr.join('')}`);
    return text;
  }

  programs(): Program[] {
    return recordsOf(this.rig, 'confirmed').map(({ exe, argv, request }) => ({
      exe,
      argv: argv.map((argument) => argumentText(argument).text),
      request,
    }));
  }

  /** That program was started by that tool's call and no other. What only happened is written a moment later. */
  async startedBy(tool: string, exe: RegExp): Promise<Program> {
    const found = await until(
      () => `${String(exe)} by ${tool} among ${this.programs().map(nameOf).join(', ')}`,
      () => this.programs().find((one) => exe.test(one.exe) && one.request?.tool === tool),
    );
    assert.equal(found.request?.attribution, 'certain');
    return found;
  }

  /** The client leaves: the family is ended, the kernel says that nobody is left, and nobody is. */
  async leave(): Promise<Message> {
    const members = this.rig.members();
    assert.ok(members.length > 0);
    await this.client.close();
    const { certificate } = await this.review.find('certificate');
    assert.deepEqual([certificate.survivors, certificate.proved], [0, true], JSON.stringify(certificate));
    await until('nobody is alive', () => !this.rig.members().some(isAlive));
    return certificate;
  }
}

function nameOf({ request, exe }: Program): string {
  return `${request?.tool ?? 'outside any call'}: ${exe}`;
}
