/** Short names for what a family runs and who started it. */
import type { ClientFacts, RequestRef } from '../src/core/facts.ts';
import { clientName as nameByPath } from '../src/core/identity/clientName.ts';
import type { ProcessView } from '../src/protocol/desk.ts';
import { baseName } from './text.ts';

/** Raw: show it as data. */
export function processName(process: ProcessView): string {
  if (process.exe !== undefined) return baseName(process.exe);
  const [first] = process.argv;
  return typeof first === 'string' && first !== '' ? baseName(first) : 'unknown program';
}

/** A row shows the beginning; the details have the whole. */
const longestLine = 240;

/** Where the system keeps its programs, also under other names: `/bin/sh` may be dash. */
const systemFolder = /^\/(?:usr\/)?(?:local\/)?s?bin\//u;

/** The arguments after the name on one line, raw; before them the script that an interpreter was started for. */
export function argumentLine({ exe, argv }: Pick<ProcessView, 'exe' | 'argv'>): string {
  const [first] = argv;
  const isScript =
    typeof first === 'string' &&
    first.includes('/') &&
    exe !== undefined &&
    baseName(first) !== baseName(exe) &&
    !systemFolder.test(first);
  let line = '';
  for (const each of argv.slice(isScript ? 0 : 1)) {
    line += `${line === '' ? '' : ' '}${typeof each === 'string' ? quotedArgument(each) : '(not text)'}`;
    if (line.length > longestLine) return `${line.slice(0, longestLine)}…`;
  }
  return line;
}

function quotedArgument(argument: string): string {
  return /^[^\s"'\\$`]+$/u.test(argument) ? argument : JSON.stringify(argument);
}

/** As cards name it, by its executable: what a client calls itself is a claim. */
export function clientName(client: ClientFacts): string {
  return client.exe === undefined ? `pid ${client.pid}` : nameByPath(client).name;
}

export function requestLabel(request: RequestRef): string {
  return `${request.tool ?? request.method} #${request.number}`;
}

export const attributionWords = {
  certain: 'certain',
  'one-of': 'or another request in flight',
  outside: 'outside any request',
} as const;
