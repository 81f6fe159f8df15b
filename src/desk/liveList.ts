/** `kinwatch ps`: sessions and their live processes, with what only the kernel knows of them now. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ProcessView, PsSession } from '../protocol/desk.ts';
import { readCwd, readStat } from '../watch/proc.ts';
import { memberKey, type Session } from './sessions.ts';

const ticksPerSecond = 100;

/** Sessions that have a supervisor, or whose family is being ended without one. */
export function liveList(sessions: readonly Session[], user: string): PsSession[] {
  const uptime = Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]);
  return sessions
    .filter((session) => session.supervisor !== undefined || session.members.size > 0)
    .map((session) => ({
      session: session.id,
      server: session.view.server,
      client: session.view.client,
      coverage: session.view.coverage,
      startedAt: session.view.startedAt,
      processes: session.view.processes
        .filter((process) => process.state !== 'ended')
        .map((process) => row(session, process, user, uptime)),
    }));
}

function row(
  session: Session,
  process: ProcessView,
  user: string,
  uptime: number,
): PsSession['processes'][number] {
  const { pid, startedAt, exe, argv, detached } = process;
  const startTicks = session.members.get(memberKey(process))?.startTicks;
  const stat = readStat(pid);
  const isSame = stat !== undefined && stat.startTicks === startTicks;
  const startSeconds = startTicks === undefined ? uptime : startTicks / ticksPerSecond;
  return {
    pid,
    // The parent now: after its birth's parent ended it hangs elsewhere.
    ppid: isSame ? stat.ppid : process.ppid,
    startedAt,
    user,
    elapsed: Math.max(0, Math.round((uptime - startSeconds) * 100) / 100),
    stat: isSame ? stat.state : '',
    command: exe === undefined ? (isSame ? stat.comm : '') : basename(exe),
    exe: exe ?? null,
    argv,
    cwd: (isSame ? readCwd(pid) : undefined) ?? process.cwd ?? null,
    session: session.id,
    detached,
  };
}
