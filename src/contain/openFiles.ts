/** What every member of a stopped family has open, for its evidence. */
import type { ProcessKey } from '../core/facts.ts';
import { type Descriptors, readDescriptors } from '../watch/openFiles.ts';

/** Descriptors of all members together; more are counted. */
const mostDescriptors = 20_000;
const mostOfOne = 2000;

export interface MemberFiles {
  readonly pid: number;
  readonly startedAt: string;
  readonly open: Descriptors;
}

export function openFilesOfMembers(
  members: readonly (ProcessKey & { readonly startedAt: string })[],
): MemberFiles[] {
  let left = mostDescriptors;
  return members.map(({ pid, startTicks, startedAt }) => {
    const open = readDescriptors({ pid, startTicks }, Math.min(mostOfOne, left));
    if (open.kind === 'read') left -= open.descriptors.length;
    return { pid, startedAt, open };
  });
}
