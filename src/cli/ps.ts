/** `kinwatch ps`: sessions and their trees. */
import { visibleText } from '../core/consequence/visible.ts';
import { argumentText, clock, quoted } from '../core/consequence/words.ts';
import { clientName } from '../core/identity/clientName.ts';
import { redactArguments } from '../core/redaction/redact.ts';
import type { PsSession } from '../protocol/desk.ts';
import { messages } from './messages.ts';
import { Operator } from './operator.ts';
import { exit, type ExitCode, type Output } from './outcome.ts';

/** No desk means no session: one that runs has a desk, or ends within seconds. */
export async function ps(socket: string, json: boolean, output: Output): Promise<ExitCode> {
  const operator = await Operator.connect(socket);
  const sessions = operator === null ? [] : await operator.sessions();
  operator?.close();
  if (json) output.out(`${JSON.stringify({ sessions }, undefined, 2)}\n`);
  else if (sessions.length === 0) output.err(`${messages.prefix}${messages.nothingRuns}\n`);
  else output.out(sessions.map(sessionText).join('\n'));
  return exit.done;
}

function sessionText(session: PsSession): string {
  const { server, client, coverage, startedAt } = session;
  const name = visibleText(clientName(client).name);
  const head =
    `${visibleText(server)}  session ${session.session}  started by ${name} (pid ${client.pid})  ` +
    `since ${clock(startedAt)}  ${coverage.text}\n`;
  return head + treeText(session.processes);
}

type Row = PsSession['processes'][number];

/** By present parents: a process whose parent is not in the list stands at the left. */
export function treeText(processes: readonly Row[]): string {
  const known = new Set(processes.map(({ pid }) => pid));
  const children = new Map<number, Row[]>();
  for (const row of processes) {
    const parent = known.has(row.ppid) && row.ppid !== row.pid ? row.ppid : 0;
    children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const shown = new Set<Row>();
  const lines: string[] = [];
  const show = (row: Row, depth: number): void => {
    // Pids may have changed hands while the list was made: nothing is shown twice, nothing is left out.
    if (shown.has(row)) return;
    shown.add(row);
    lines.push(`${'  '.repeat(depth)}${row.pid}  ${commandText(row)}${row.detached ? '  (detached)' : ''}\n`);
    for (const child of children.get(row.pid) ?? []) show(child, depth + 1);
  };
  for (const row of children.get(0) ?? []) show(row, 1);
  for (const row of processes) show(row, 1);
  return lines.join('');
}

function commandText(row: Row): string {
  const words = redactArguments(row.argv.map((argument) => argumentText(argument).text));
  return words.length === 0
    ? visibleText(row.command)
    : words.map((word) => visibleText(quoted(word))).join(' ');
}
