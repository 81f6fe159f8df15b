/** The start log on the card: which variables a server gets, and where its programs are searched. Names, no values. */
import type { PathEntry, StartFacts } from '../facts.ts';
import { loadsCode } from '../policy/codeVariables.ts';
import type { CardRow } from './cardShape.ts';
import { isInside } from './rows.ts';
import { visibleText } from './visible.ts';
import { count, quoted } from './words.ts';

/** Lists are written in full; the panel folds long ones and counts what it folds. */
function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => visibleText(name)).join(', ');
}

function rowOf(label: string, lines: readonly (string | { readonly warning: string })[]): CardRow {
  const warnings = lines.flatMap((line) => (typeof line === 'string' ? [] : [line.warning]));
  const value = lines.map((line) => (typeof line === 'string' ? line : visibleText(line.warning))).join('\n');
  return { label, value, ...(warnings.length === 0 ? {} : { detail: { kind: 'warning', warnings } }) };
}

export function environment({ environment: facts }: StartFacts): CardRow {
  const { configured, credentials, dropped, passed, secrets, home, tmpdir } = facts;
  const others = dropped.filter((name) => !secrets.includes(name));
  return rowOf('Environment', [
    `Set by the configuration: ${list(configured)}`,
    ...credentials.map((name) => ({
      warning: `${name} looks like a credential: this server receives a credential.`,
    })),
    ...configured
      .filter((name) => loadsCode(name))
      .map((name) => ({ warning: `${name} can make its programs run code that no command line names.` })),
    `Passed on: ${list(passed)}`,
    ...(secrets.length === 0 ? [] : [`Dropped, as they look like credentials: ${list(secrets)}`]),
    ...(others.length === 0 ? [] : [`Dropped, as the configuration doesn’t name them: ${list(others)}`]),
    `HOME ${home === '' ? 'not set' : visibleText(home)}`,
    `TMPDIR ${tmpdir === '' ? 'not set' : visibleText(tmpdir)}`,
  ]);
}

export function searchPath(
  { environment: facts, cwd }: StartFacts,
  workspaceFolders: readonly string[],
): CardRow {
  const { path, pathFrom, search, home } = facts;
  if (path === '') return rowOf('PATH', ['Not set: only the system’s own folders are searched.']);
  // A client started at home, or at the root, works on no folder in particular.
  const project = cwd === '/' || isInside(home, cwd) ? [] : [cwd];
  const missing = search.filter(({ exists }) => !exists);
  return rowOf('PATH', [
    `From ${visibleText(pathFrom)}, in this order: ${search.map(({ entry }) => shown(entry)).join(', ')}`,
    ...search.flatMap((entry, index) => notes(entry, index, cwd, [...workspaceFolders, ...project])),
    ...(missing.length === 0
      ? []
      : [
          `${count(missing.length, 'entry does', 'entries do')} not exist: ${missing.map(({ entry }) => shown(entry)).join(', ')}`,
        ]),
  ]);
}

function shown(entry: string): string {
  return quoted(visibleText(entry));
}

function notes(
  { entry, directory, writableBy, hides }: PathEntry,
  index: number,
  cwd: string,
  projects: readonly string[],
): (string | { readonly warning: string })[] {
  const name = `Entry ${index + 1}, ${entry === '' ? 'the empty one' : shown(entry)},`;
  const lines: (string | { readonly warning: string })[] = [];
  if (entry === '')
    lines.push({ warning: `Entry ${index + 1} is empty: it means the working directory, ${cwd}.` });
  else if (!entry.startsWith('/'))
    lines.push({ warning: `${name} is relative: here it means ${directory}.` });
  if (projects.some((folder) => isInside(directory, folder)))
    lines.push({ warning: `${name} is inside the folder that the agent works in.` });
  if (writableBy === 'everyone')
    lines.push({ warning: `${name} can be written by every account of this machine.` });
  if (hides.length > 0)
    lines.push(
      {
        warning:
          `${name} can be written by the agent, and ` +
          `${count(hides.length, 'program in it runs', 'programs in it run')} instead of the system’s own.`,
      },
      `Run from ${shown(directory)}: ${list(hides)}`,
    );
  return lines;
}

/**
 * Credential files that the server can read where it works; names only. Null when none was found.
 *
 * @param complete false when the search ended at one of its bounds.
 */
export function withinReach(
  files: readonly string[],
  complete: boolean,
  { cwd, user }: StartFacts,
): CardRow | null {
  if (files.length === 0) return null;
  const names = files.map((file) =>
    shown(isInside(file, cwd) && file !== cwd ? file.slice(cwd.length + 1) : file),
  );
  const amount = count(files.length, 'credential file');
  return rowOf('Within reach', [
    {
      warning: `${complete ? '' : 'At least '}${amount} where it works. It runs as ${user} and can read what ${user} can.`,
    },
    names.join(', '),
  ]);
}
