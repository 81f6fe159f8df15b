/** The card of a server's start: transition 5 with nothing to compare (DESIGN §7, last paragraph). */
import type { StartFacts } from '../facts.ts';
import { clientName } from '../identity/clientName.ts';
import { redactArguments } from '../redaction/redact.ts';
import { type Card, type CardRow, card } from './cardShape.ts';
import { environment, searchPath } from './environmentRows.ts';
import { mayStartOf } from './outside.ts';
import { code, network, requestedBy, runs, withArguments, workingDirectory } from './rows.ts';
import { hasHidden, visibleText } from './visible.ts';
import { quoted, Sentence } from './words.ts';

/** Longest command that a headline shows whole. */
const longestCommand = 90;

/**
 * @param workspaceFolders folders open in the reviewers' editors; empty: nothing is said about them.
 */
export function startCard(facts: StartFacts, workspaceFolders: readonly string[] = []): Card {
  const client = clientName(facts.client);
  const masked = redactArguments(facts.argv);
  const sentence = new Sentence();
  if (client.known) sentence.say(client.name);
  else sentence.quote(client.name);
  sentence.say(' will start ').quote(facts.server).say(' as ').quote(facts.user).say(': ');
  const command = masked.map((argument) => quoted(argument)).join(' ');
  sentence.quote(command, longestCommand).say('.');
  const complete =
    facts.program.inline === undefined &&
    facts.program.codeOnStdin !== true &&
    facts.program.package === undefined &&
    masked.every((argument, index) => argument === facts.argv[index] && !hasHidden(argument));
  return card('first start', sentence, complete, rowsOf(facts, client.name, workspaceFolders));
}

function rowsOf(facts: StartFacts, client: string, workspaceFolders: readonly string[]): CardRow[] {
  const server = visibleText(facts.server);
  const requester = visibleText(client);
  const inline = code(facts.program);
  return [
    requestedBy(facts.client),
    serverRow(facts),
    { label: 'Because of', value: `${requester} starts the server itself, before any request.` },
    runs(facts.program, howNamed(facts)),
    ...(inline === null ? [] : [inline]),
    withArguments(facts.argv),
    ...launchedThrough(facts.launchers),
    environment(facts),
    searchPath(facts, workspaceFolders),
    workingDirectory(facts.cwd, workspaceFolders, facts.environment.tmpdir, facts.host),
    facts.network === 'none'
      ? { label: 'Network', value: 'None: its configuration says so. Every internet socket is refused.' }
      : network(undefined),
    mayStartOf(facts.program, facts.argv),
    {
      label: 'Why now',
      value:
        'A server’s start is always asked in this version, unless it was allowed for this client process.',
    },
    {
      label: 'If you allow',
      value:
        `Once: this launch only.\n` +
        `Session: this launch and relaunches of the same command by the same client process ` +
        `(${requester}, pid ${facts.client.pid}), until that process ends.`,
    },
    {
      label: 'If you deny',
      value: `${server} doesn’t start. ${requester} gets an error that names this rule.`,
    },
  ];
}

function launchedThrough(launchers: StartFacts['launchers']): CardRow[] {
  if (launchers === undefined) return [];
  const command = launchers.map((word) => visibleText(quoted(word))).join(' ');
  return [
    {
      label: 'Launched through',
      value:
        `${command}\n` +
        'A process namespace of its own: its processes end with the supervisor, even when that is killed.',
    },
  ];
}

function howNamed({ command, resolution }: StartFacts): string {
  if (resolution === 'absolute path') return 'Named by its full path';
  // The supervisor's words begin with the name where it was searched for.
  const how = resolution.startsWith(`${command}, `) ? resolution.slice(command.length + 2) : resolution;
  return `Asked for as ${quoted(visibleText(command))}, ${visibleText(how)}`;
}

function serverRow(facts: StartFacts): CardRow {
  const from = facts.source === 'command line' ? 'the command line' : visibleText(facts.source);
  const value = `${visibleText(facts.server)}, from ${from}`;
  if (facts.overrides.length === 0) return { label: 'Server', value };
  const warnings = facts.overrides.map((override) => `Not the usual set-up: ${override}`);
  return {
    label: 'Server',
    value: [value, ...warnings.map((warning) => visibleText(warning))].join('\n'),
    detail: { kind: 'warning', warnings },
  };
}
