/** The open files of a process, from `/proc/PID/fd` (`proc_pid_fd(5)`). Reads names, opens nothing of what they name. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ProcessKey } from '../core/facts.ts';
import { noteOf, type OpenFile, type OpenFilePlaces, type OpenFilesFound } from '../core/openFiles.ts';
import { readCwd, readExe, readStat } from './proc.ts';

/** Descriptors looked at; a process may have a million. */
const mostDescriptors = 4096;
const mostListed = 200;

export interface Descriptor {
  readonly number: number;
  /** A path, or `socket:[INODE]`, `pipe:[INODE]`, `anon_inode:…`. */
  readonly target: string;
  readonly access: OpenFile['access'];
}

export type Descriptors =
  | { readonly kind: 'read'; readonly descriptors: readonly Descriptor[]; readonly unread: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Invariant: what is answered belongs to this process, before and after. */
export function readDescriptors({ pid, startTicks }: ProcessKey, most = mostDescriptors): Descriptors {
  const isIt = (): boolean => readStat(pid)?.startTicks === startTicks;
  const gone = { kind: 'unreadable', reason: 'it has ended' } as const;
  if (!isIt()) return gone;
  let names: string[];
  try {
    names = readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    if (!isIt()) return gone;
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EACCES' || code === 'EPERM' ? 'it may not be read: it protects itself' : String(code);
    return { kind: 'unreadable', reason };
  }
  const descriptors = names.slice(0, most).flatMap((name): Descriptor[] => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${name}`);
      return [{ number: Number(name), target, access: accessOf(pid, name) }];
    } catch {
      return []; // closed meanwhile
    }
  });
  return isIt() ? { kind: 'read', descriptors, unread: Math.max(0, names.length - most) } : gone;
}

/** The access mode of `open(2)`, in octal on the `flags` line of `proc_pid_fdinfo(5)`. */
function accessOf(pid: number, name: string): OpenFile['access'] {
  try {
    const flags = /^flags:\s+([0-7]+)$/mu.exec(readFileSync(`/proc/${pid}/fdinfo/${name}`, 'latin1'))?.[1];
    const mode = Number.parseInt(flags ?? '', 8) & 3;
    return (['read', 'write', 'read and write'] as const)[mode] ?? 'unknown';
  } catch {
    return 'unknown'; // closed meanwhile
  }
}

const deletedMark = ' (deleted)';

export function findOpenFiles(key: ProcessKey, places: OpenFilePlaces): OpenFilesFound {
  const cwd = readCwd(key.pid);
  const exe = readExe(key.pid);
  const read = readDescriptors(key);
  if (read.kind === 'unreadable') return read;
  const files = new Map<string, OpenFile>();
  const counts = { sockets: 0, pipes: 0, others: 0 };
  for (const { target, access } of read.descriptors) {
    const deleted = target.endsWith(deletedMark);
    const path = deleted ? target.slice(0, -deletedMark.length) : target;
    const note = path.startsWith('/') ? noteOf(path, places) : undefined;
    if (note === undefined) {
      if (target.startsWith('socket:')) counts.sockets += 1;
      else if (target.startsWith('pipe:')) counts.pipes += 1;
      else counts.others += 1;
      continue;
    }
    const name = `${target}\0${access}`;
    const descriptors = (files.get(name)?.descriptors ?? 0) + 1;
    files.set(name, { path, note, access, descriptors, deleted });
  }
  const order = ['credentials', 'project', 'temporary'];
  const found = [...files.values()].toSorted((a, b) => order.indexOf(a.note) - order.indexOf(b.note));
  return {
    kind: 'read',
    ...(cwd === undefined ? {} : { cwd }),
    ...(exe === undefined ? {} : { exe }),
    files: found.slice(0, mostListed),
    ...counts,
    unlisted: read.unread + Math.max(0, found.length - mostListed),
  };
}
