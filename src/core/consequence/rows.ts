/** Rows that several cards share. Labels and order are DESIGN §4's. */
import type { Argument, ClientFacts, FileFacts, ProgramFacts, RequestRef } from '../facts.ts';
import { clientName } from '../identity/clientName.ts';
import { redact, redactArguments } from '../redaction/redact.ts';
import { redactVariable } from '../redaction/redactVariable.ts';
import type { CardRow } from './cardShape.ts';
import { visibleText } from './visible.ts';
import { argumentText, clock, count, quoted } from './words.ts';

export function requestedBy(client: ClientFacts): CardRow {
  const name = clientName(client);
  const exe = client.exe === undefined ? 'a program that could not be read' : visibleText(client.exe);
  const notes = [
    `${name.known ? `${name.name}, by its path` : 'Not a client that Kinwatch knows'}. Process ${client.pid}, since ${clock(client.startedAt)}`,
    'Its signature and package owner are not checked in this version.',
  ];
  const command = client.argv
    .slice(1, 3)
    .map((argument) => quoted(visibleText(redact(argumentText(argument).text))));
  // A client that is a script differs from other scripts only in its arguments.
  if (!name.known && command.length > 0) notes.push(`Its first arguments: ${command.join(' ')}`);
  const lines = [exe, ...notes];
  if (client.claims === undefined)
    return {
      label: 'Requested by',
      value: lines.join('\n'),
      detail: { kind: 'path', path: client.exe ?? exe, notes },
    };
  const claim = redact(`${client.claims.name} ${client.claims.version}`.trim());
  lines.push(`Calls itself “${visibleText(claim)}” (its own claim)`);
  return {
    label: 'Requested by',
    value: lines.join('\n'),
    detail: { kind: 'claim', notes: [exe, ...notes], claim },
  };
}

export function becauseOf(request: RequestRef | undefined, requestArguments: string | undefined): CardRow {
  const label = 'Because of';
  if (request === undefined || request.attribution === 'outside') {
    return { label, value: 'No request: none was being answered when it came to be.' };
  }
  const name = `${visibleText(request.tool ?? request.method)} #${request.number}`;
  const sure =
    request.attribution === 'certain'
      ? name
      : `${name}, or another request that was being answered at the time`;
  if (requestArguments === undefined) return { label, value: sure };
  const text = redact(requestArguments);
  return {
    label,
    value: `${sure}\n${visibleText(text, 'block')}`,
    detail: {
      kind: 'request',
      label: `${request.tool ?? request.method} #${request.number}`,
      arguments: text,
    },
  };
}

function digestNote(file: FileFacts): string {
  return file.digest === undefined
    ? 'Its content could not be read for a digest.'
    : file.digest.replace(':', ' ');
}

function writableNote(file: FileFacts): string {
  const owner = file.ownerUid === 0 ? 'Owned by root.' : `Owned by uid ${file.ownerUid}.`;
  return file.writable ? `${owner} The agent can write it.` : `${owner} The agent can’t write it.`;
}

/** The executable, and the script or package behind it. `how` says how its name led to the file. */
export function runs(program: ProgramFacts, how: string): CardRow {
  const { executable, script } = program;
  const notes = [how, writableNote(executable), digestNote(executable)];
  if (script !== undefined) {
    notes.push(`Script ${visibleText(script.path)}`, writableNote(script), digestNote(script));
  }
  if (program.package !== undefined)
    notes.push(`Package ${visibleText(program.package)}, downloaded when it isn’t there yet`);
  if (program.codeOnStdin === true)
    notes.push('Its code comes from standard input and can’t be shown before it runs.');
  return {
    label: 'Runs',
    value: [visibleText(executable.path), ...notes].join('\n'),
    detail: { kind: 'path', path: executable.path, notes },
  };
}

/** Code from the command line as it will run. Null when there is none. */
export function code(program: ProgramFacts): CardRow | null {
  if (program.inline === undefined) return null;
  const text = redact(program.inline.text);
  return {
    label: 'Code',
    value: visibleText(text, 'block'),
    detail: { kind: 'script', text, origin: `${program.inline.option} on the command line` },
  };
}

/** Every argument on a line of its own, numbered from 0. */
export function withArguments(argv: readonly Argument[], unreadBytes = 0): CardRow {
  const texts = argv.map((argument) => argumentText(argument));
  const masked = redactArguments(texts.map(({ text }) => text));
  const lines = masked.map((text, index) => {
    const note = texts[index]?.bytes === true ? ' (not valid text, bytes as \\x..)' : '';
    return `${index}  ${quoted(visibleText(text))}${note}`;
  });
  if (argv.length === 0) lines.push('No arguments, not even a name.');
  if (unreadBytes > 0) lines.push(`${count(unreadBytes, 'more byte')} of arguments were too large to read.`);
  return { label: 'With', value: lines.join('\n'), detail: { kind: 'argv', argv: [...masked] } };
}

/** Variables that make it load or run other code and that are not the session's own. Null when there are none. */
export function codeVariables({ environment = [] }: ProgramFacts): CardRow | null {
  if (environment.length === 0) return null;
  const warnings = environment.map((variable) => {
    const { text, bytes } = argumentText(variable);
    const note = bytes ? ' (not valid text, bytes as \\x..)' : '';
    return `${redactVariable(text)}${note} can load other code`;
  });
  return {
    label: 'Environment',
    value: warnings.map((warning) => visibleText(warning)).join('\n'),
    detail: { kind: 'warning', warnings },
  };
}

const temporary = ['/tmp', '/var/tmp', '/dev/shm'];

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** @param host where it runs; absent: nothing is said about it. */
export function workingDirectory(
  cwd: string,
  workspaceFolders: readonly string[],
  tmpdir?: string,
  host?: string,
): CardRow {
  const places = tmpdir === undefined || tmpdir === '' ? temporary : [...temporary, tmpdir];
  let note: string[] = [];
  if (workspaceFolders.some((folder) => isInside(cwd, folder))) note = ['inside the workspace'];
  else if (places.some((folder) => isInside(cwd, folder))) note = ['a temporary directory'];
  else if (workspaceFolders.length > 0) note = ['outside the workspace'];
  if (host !== undefined) note.push(`on ${visibleText(host)}`);
  return {
    label: 'In',
    value: [visibleText(cwd), ...note].join(', '),
    detail: { kind: 'path', path: cwd, notes: note },
  };
}

/** Of a program that is yet to start. */
export function network(destination: string | undefined): CardRow {
  const named = destination === undefined ? '' : `Its arguments name ${visibleText(redact(destination))}. `;
  return { label: 'Network', value: `${named}Its connections will be asked.` };
}

/** What the agent hears of a denial, where it is certain which call caused it. Empty otherwise. */
export function agentHears(request: RequestRef | undefined): string {
  return request?.attribution === 'certain' && request.tool !== undefined
    ? ` The agent’s call of ${visibleText(request.tool)} returns an error that names this rule.`
    : '';
}

export const mayStart: CardRow = {
  label: 'May start',
  value: 'Any program. One not seen before will be asked.',
};
