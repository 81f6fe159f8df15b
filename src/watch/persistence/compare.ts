/** What is different between two looks at the same places. */
import { type PersistenceChange, persistencePlaces } from '../../core/consequence/stayedBehind.ts';
import type { Entry } from './entry.ts';
import type { Look } from './look.ts';

/** Of one kind and one change; more are counted, so that a flood of one hides no other. */
const mostListed = 40;

export interface Comparison {
  readonly changes: readonly PersistenceChange[];
  /** What was not looked at in full, and what is not listed. */
  readonly gaps: readonly string[];
}

export function compareLooks(before: Look, after: Look): Comparison {
  const changes: PersistenceChange[] = [];
  const add = (key: string, { place }: Entry, change: PersistenceChange['change']): void => {
    changes.push({ place: place.what, path: Buffer.from(key, 'latin1').toString('utf8'), change });
  };
  for (const [key, entry] of after.entries) {
    const old = before.entries.get(key);
    if (old === undefined) {
      // A first look that stopped early does not say that a file was not there.
      if (!before.partial.has(entry.place.path)) add(key, entry, 'appeared');
    } else if (isOther(old, entry)) add(key, entry, 'changed');
  }
  for (const [key, entry] of before.entries) {
    if (!after.entries.has(key) && !after.partial.has(entry.place.path)) add(key, entry, 'disappeared');
  }
  const partial = new Map([...before.partial, ...after.partial]);
  const gaps = [...partial].map(([path, reason]) => `${path} was not compared in full: ${reason}`);
  return withoutFlood(changes, gaps);
}

function withoutFlood(changes: readonly PersistenceChange[], gaps: string[]): Comparison {
  const counts = new Map<string, number>();
  const listed = changes.filter(({ place, change }) => {
    const kind = `${persistencePlaces[place]} that ${change}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return (counts.get(kind) ?? 0) <= mostListed;
  });
  for (const [kind, count] of counts)
    if (count > mostListed) gaps.push(`${count - mostListed} more ${kind} are not listed`);
  return { changes: listed, gaps };
}

function isOther(old: Entry, now: Entry): boolean {
  if (old.kind !== now.kind || old.mode !== now.mode) return true;
  if (old.target !== now.target || old.behind !== now.behind) return true;
  // Of a folder only its names are compared, and of a thing that is not gone into, whether it is the same one.
  if (now.kind === 'folder' || now.kind === 'other') return old.inode !== now.inode;
  if (old.digest !== undefined && now.digest !== undefined) return old.digest !== now.digest;
  if (now.kind === 'link') return old.digest !== now.digest;
  return old.inode !== now.inode || old.sizeBytes !== now.sizeBytes || old.changedNs !== now.changedNs;
}
