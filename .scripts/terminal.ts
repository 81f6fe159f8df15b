/**
 * `npm start -- --terminal`: a real MCP client calls two tools of the supervised sample server. This terminal is
 * the reviewer, in a home of its own: each card is printed and asked here, and the live tree whenever it changes.
 */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { visibleText } from '../src/core/consequence/visible.ts';
import { emptyState, openQuestions, reduce } from '../src/editor/mirror.ts';
import type { Choice, FromDesk, Question, SessionView } from '../src/protocol/desk.ts';
import { connectOrStartDesk } from '../src/protocol/deskConnection.ts';
import type { PanelState } from '../src/protocol/panel.ts';
import { placesOfUser } from '../src/protocol/places.ts';

const checkout = join(__dirname, '..', '..');
const launcher = join(checkout, 'dist', 'kinwatch');
const choices: readonly Choice[] = ['deny', 'once', 'session', 'contain'];
const say = (text: string): void => console.log(text);

function fixedAnswer(): Choice | undefined {
  const { values } = parseArgs({ options: { answer: { type: 'string' } } });
  if (values.answer === undefined) {
    if (process.stdin.isTTY) return undefined;
    throw new Error('there is no terminal to ask on; give --answer once, session or deny');
  }
  const answer = choices.find((choice) => choice === values.answer);
  if (answer === undefined)
    throw new Error(`--answer takes ${choices.join(', ')}, not ${JSON.stringify(values.answer)}`);
  return answer;
}

function printCard(question: Question): void {
  say(`\n── Needs your decision ${'─'.repeat(40)}\n${question.headline}\n`);
  for (const { label, value } of question.rows) {
    const [first = '', ...more] = value.split('\n');
    say(`  ${label.padEnd(13)} ${first}`);
    for (const line of more) say(`  ${' '.repeat(13)} ${line}`);
  }
}

async function askHere(question: Question): Promise<Choice> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const answer = await lines.question(`\n  ${question.options.join(' / ')}? `);
      const chosen = question.options.find((option) => option === answer.trim());
      if (chosen !== undefined) return chosen;
    }
  } finally {
    lines.close();
  }
}

/** Client, server and descendants, as they are now. */
function treeOf({ client, server, coverage, processes, state }: SessionView): string {
  const lines = [`${visibleText(client.argv.slice(0, 2).map(shown).join(' '))} (${client.pid})`];
  lines.push(`└─ ${server}: ${state}, ${coverage.text}`);
  const walk = (parent: string | undefined, depth: number): void => {
    for (const process of processes) {
      const above = processes.find(
        ({ pid, startedAt }) => pid === process.ppid && startedAt === process.parentStartedAt,
      );
      if ((above === undefined ? undefined : keyOf(above)) !== parent) continue;
      const command =
        process.argv.length === 0 ? '(not started yet)' : visibleText(process.argv.map(shown).join(' '));
      lines.push(
        `${'   '.repeat(depth)}└─ ${process.pid} ${command} ${process.state === 'ended' ? (process.status ?? 'ended') : process.state}`,
      );
      walk(keyOf(process), depth + 1);
    }
  };
  walk(undefined, 1);
  return lines.join('\n');
}

function keyOf({ pid, startedAt }: { pid: number; startedAt: string }): string {
  return `${pid} ${startedAt}`;
}

function shown(argument: string | { base64: string }): string {
  return typeof argument === 'string' ? argument : `base64:${argument.base64}`;
}

/** Answers questions and prints the tree, for as long as the client runs. */
class TerminalReviewer {
  private state: PanelState = emptyState;
  private printed = '';
  private asking: Promise<void> = Promise.resolve();
  private readonly asked = new Set<string>();
  ended: () => void = () => undefined;

  constructor(
    private readonly fixed: Choice | undefined,
    private readonly send: (id: string, choice: Choice) => void,
  ) {}

  take(message: FromDesk): void {
    this.state = reduce(this.state, message, new Date().toISOString());
    for (const question of openQuestions(this.state)) this.enqueue(question);
    const tree = this.state.sessions.map(treeOf).join('\n');
    if (tree !== this.printed && tree !== '') say(`\n${tree}`);
    this.printed = tree;
    if (message.kind !== 'certificate') return;
    const { survivors, proved, durationMs } = message.certificate;
    say(
      `\nThe family has ended: ${survivors} survivors, ${proved ? 'proved' : 'not proved'}, ${Math.round(durationMs)} ms.`,
    );
    this.ended();
  }

  private enqueue(question: Question): void {
    if (this.asked.has(question.id)) return;
    this.asked.add(question.id);
    this.asking = this.asking.then(async () => {
      printCard(question);
      const choice = this.fixed ?? (await askHere(question));
      if (this.fixed !== undefined) say(`\n  answered: ${choice}`);
      this.send(question.id, choice);
    });
  }
}

async function callTools(workspace: string, home: string): Promise<void> {
  const client = new Client({ name: 'kinwatch-terminal', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: launcher,
    args: ['run', 'files'],
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', KINWATCH_HOME: home },
    stderr: 'ignore',
  });
  await client.connect(transport);
  for (const [name, args] of [
    ['list_directory', { path: workspace }],
    ['read_text_file', { path: join(workspace, 'package.json') }],
  ] as const) {
    const result = await client.callTool({ name, arguments: args });
    const [first] = Array.isArray(result.content) ? result.content : [];
    const text = typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : '';
    say(`\n${name} ${JSON.stringify(args)} →\n${text.split('\n').slice(0, 12).join('\n')}`);
  }
  await client.close();
}

async function main(): Promise<void> {
  const fixed = fixedAnswer();
  const home = process.env['KINWATCH_HOME'];
  if (home === undefined) throw new Error('run "npm start -- --terminal": it makes a home of its own');
  const places = placesOfUser(home);
  const reviewer = new TerminalReviewer(fixed, (id, choice) => desk.send({ kind: 'answer', id, choice }));
  const ended = new Promise<void>((resolve) => {
    reviewer.ended = resolve;
  });
  const desk = await connectOrStartDesk(
    { socket: places.socket, home, launcher },
    { role: 'reviewer', token: randomBytes(32).toString('base64url') },
    { message: (message) => reviewer.take(message), closed: (error) => fail(error) },
  );
  await callTools(join(dirname(home), 'workspace'), home);
  await ended;
  desk.close();
}

function fail(error: unknown): void {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

main().then(() => process.exit(0), fail);
