/** What a supervisor tells of its family's processes: records first, then what reviewers see. */
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { Census } from './census.ts';
import { mirrorArguments } from './mask.ts';
import { mayHaveBorn } from './ownBirth.ts';
import type { ProcessTable } from './peer.ts';
import type { Persistence } from './persistence.ts';
import type { Records } from './records.ts';
import type { RolePort } from './role.ts';
import { memberKey, type Session, type Sessions } from './sessions.ts';
import { withBirth, withDetached, withEnd, withExec } from './sessionView.ts';

type Of<K extends FromSupervisor['kind']> = Extract<FromSupervisor, { kind: K }>;

export interface FamilyNewsParts {
  readonly sessions: Sessions;
  readonly records: Records;
  readonly census: Census;
  readonly table: ProcessTable;
  readonly persistence: Pick<Persistence, 'ran'>;
}

export class FamilyNews {
  private hasRoot = false;

  constructor(
    private readonly port: RolePort,
    private readonly parts: FamilyNewsParts,
  ) {}

  birth(session: Session, message: Of<'birth'>): void {
    const { records, sessions, census, table } = this.parts;
    const { peer } = this.port;
    const isRoot = !this.hasRoot;
    this.hasRoot = true;
    if (!mayHaveBorn(message, peer, isRoot, table)) {
      const text = `process ${message.pid} was not started by supervisor ${peer.pid}`;
      return this.port.refuse('supervisor', 'not an ancestor of the family', text);
    }
    const { at: _at, parentStartedAt, startTicks, ...birth } = message;
    records.noteWithNext({ session: session.id, startTicks, ...birth });
    sessions.memberBorn(session, memberKey(message), { pid: message.pid, startTicks });
    census.addMember({ pid: message.pid, startTicks });
    return sessions.update(session, withBirth(session.view, message), {
      session: session.id,
      ...birth,
      ...(parentStartedAt === undefined ? {} : { parentStartedAt }),
    });
  }

  exec(session: Session, message: Of<'exec'>): void {
    const { at: _at, kind: _kind, step, because, digest, ...exec } = message;
    if (step === 'confirmed') this.parts.persistence.ran(session);
    this.parts.records.noteWithNext({
      kind: step,
      session: session.id,
      ...exec,
      ...(because === undefined ? {} : { because }),
      ...(digest === undefined ? {} : { digest }),
    });
    const shown = { ...exec, argv: mirrorArguments(exec.argv) };
    const mirrored = { kind: 'exec' as const, session: session.id, ...shown, step };
    return this.parts.sessions.update(session, withExec(session.view, shown, 'running'), mirrored);
  }

  detached(session: Session, message: Of<'detached'>): void {
    const { at: _at, ...detached } = message;
    const told = { session: session.id, ...detached };
    this.parts.records.noteWithNext(told);
    return this.parts.sessions.update(session, withDetached(session.view, message), told);
  }

  end(session: Session, message: Of<'end'>): void {
    const { at: _at, ...end } = message;
    const told = { session: session.id, ...end };
    this.parts.records.noteWithNext(told);
    this.forget(session, message);
    return this.parts.sessions.update(session, withEnd(session.view, message), told);
  }

  private forget(session: Session, key: { readonly pid: number; readonly startedAt: string }): void {
    const member = session.members.get(memberKey(key));
    if (member === undefined) return;
    this.parts.sessions.memberEnded(session, memberKey(key));
    this.parts.census.removeMember(member);
  }
}
