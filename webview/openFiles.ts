/** What a process had open when it was asked: the part of its details that is looked up on demand. */
import { html, nothing } from 'lit';
import { visibleText } from '../src/core/consequence/visible.ts';
import type { OpenFile, OpenFileNote } from '../src/core/openFiles.ts';
import type { ProcessView } from '../src/protocol/desk.ts';
import type { Fact } from './drawerFacts.ts';
import { icon } from './icons.ts';
import type { Shell } from './shell.ts';
import { count, expander, longData } from './text.ts';
import { clockTime } from './time.ts';

const groups: readonly (readonly [OpenFileNote, string])[] = [
  ['credentials', 'Open credentials'],
  ['project', 'Open in the project'],
  ['temporary', 'Open temporary files'],
];
const shownFiles = 8;

/** Empty until somebody asked. */
export function openFilesFacts(shell: Shell, { pid, startedAt }: ProcessView): Fact[] {
  const look = shell.state.openFiles.find((each) => each.pid === pid && each.startedAt === startedAt);
  if (look === undefined) return [];
  const { found } = look;
  const asOf = `as of ${clockTime(look.at)} UTC`;
  if (found.kind === 'unreadable') {
    const text = `Not known, ${asOf}: ${found.reason}`;
    return [{ label: 'Open files', body: html`${text}`, text }];
  }
  const facts = groups.flatMap(([note, label]): Fact[] => {
    const files = found.files.filter((file) => file.note === note);
    return files.length === 0 ? [] : [listed(shell, `open/${pid}@${startedAt}/${note}`, label, files)];
  });
  const rest = [
    ...(found.files.length === 0 ? ['no file of note'] : []),
    count(found.sockets, 'socket'),
    count(found.pipes, 'pipe'),
    count(found.others, 'other file'),
    ...(found.unlisted === 0 ? [] : [`${count(found.unlisted, 'more')} not listed`]),
  ];
  const text = `${rest.join(', ')}, ${asOf}`;
  return [...facts, { label: 'Open files', body: html`${text}`, text }];
}

function listed(shell: Shell, key: string, label: string, files: readonly OpenFile[]): Fact {
  const isCut = files.length > shownFiles + 1;
  const shown = isCut && !shell.view.isExpanded(key) ? files.slice(0, shownFiles) : files;
  return {
    label,
    body: html`${shown.map(
      (file) =>
        html`<p class=${file.note === 'credentials' ? 'warn-t' : ''}>
          ${file.note === 'credentials' ? icon('warning', 'warn') : nothing}
          ${longData(shell, `${key}/${file.path}`, file.path)}
          <span class="quiet small">${wordsOf(file)}</span>
        </p>`,
    )}
    ${isCut ? expander(shell, key, `Show ${files.length - shownFiles} more`) : nothing}`,
    text: files.map((file) => `${visibleText(file.path)} (${wordsOf(file)})`).join('; '),
  };
}

function wordsOf({ access, descriptors, deleted }: OpenFile): string {
  return [
    access === 'unknown' ? 'how is not known' : access,
    ...(descriptors > 1 ? [`${descriptors} times`] : []),
    ...(deleted ? ['deleted'] : []),
  ].join(', ');
}
