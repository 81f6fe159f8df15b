/** What a member has open, for a reviewer who asks. Looked at by the desk itself, which runs as the same user. */
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { OpenFiles } from '../protocol/openFiles.ts';
import { findOpenFiles } from '../watch/openFiles.ts';
import { maskDeep } from './mask.ts';
import { memberKey, type Session } from './sessions.ts';

export interface OpenFilesPlaces {
  readonly home: string | undefined;
  readonly uid: number;
  /** The folders of the reviewers' windows. */
  readonly folders: readonly string[];
}

/** Only of members: any other process is none of this wire's business. */
export function openFilesOf(
  id: string,
  session: Session | undefined,
  key: { readonly pid: number; readonly startedAt: string },
  { home, uid, folders }: OpenFilesPlaces,
): OpenFiles {
  const { pid, startedAt } = key;
  const about = { kind: 'openFiles' as const, session: id, pid, startedAt, at: new Date().toISOString() };
  const member = session?.members.get(memberKey(key));
  if (session === undefined || member === undefined)
    return { ...about, found: { kind: 'unreadable', reason: 'it is not in this family, or has ended' } };
  const { cwd, environment } = session.facts;
  const found = findOpenFiles(member, {
    projects: [cwd, ...folders].map(real),
    temporary: [
      '/tmp',
      '/var/tmp',
      '/dev/shm',
      `/run/user/${uid}`,
      tmpdir(),
      ...(environment.tmpdir.startsWith('/') ? [environment.tmpdir] : []),
    ].map(real),
    home: home === undefined ? undefined : real(home),
  });
  return { ...about, found: maskDeep(found) };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // what does not exist holds no open file but deleted ones
  }
}
