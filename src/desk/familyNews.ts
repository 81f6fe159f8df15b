/** What a supervisor tells of its family's processes: records first, then what reviewers see. */
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { RecordBody } from '../journal/record.ts';
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

/**
 * Births, confirmed programs and ends that are written of one session, a hundred megabytes or so: a family that starts
 * programs for ever must not fill the disk. What is released is always written.
 */
const mostRecorded = 300_000;
const gap = 'births, programs and ends not recorded';

export class FamilyNews {
  private hasRoot = false;
  private recorded = 0;

  constructor(
    private readonly port: RolePort,
    private readonly parts: FamilyNewsParts,
    private readonly most = mostRecorded,
  ) {}

  birth(session: Session, message: Of<'birth'>): void {
    const { sessions, census, table } = this.parts;
    const { peer } = this.port;
    const isRoot = !this.hasRoot;
    this.hasRoot = true;
    if (!mayHaveBorn(message, peer, isRoot, table)) {
      const text = `process ${message.pid} was not started by supervisor ${peer.pid}`;
      return this.port.refuse('supervisor', 'not an ancestor of the family', text);
    }
    const { at: _at, parentStartedAt, startTicks, ...birth } = message;
    this.note(session, { session: session.id, startTicks, ...birth });
    sessions.memberBorn(session, memberKey(message), { pid: message.pid, startTicks });
    census.addMember({ pid: message.pid, startTicks });
    return sessions.update(session, withBirth(session.view, message), {
      session: session.id,
      ...birth,
      ...(parentStartedAt === undefined ? {} : { parentStartedAt }),
    });
  }

  exec(session: Session, message: Of<'exec'>): void {
    const { at: _at, kind: _kind, step, because, digest, requested, environment, ...exec } = message;
    if (step === 'confirmed') this.parts.persistence.ran(session);
    const body: RecordBody = {
      kind: step,
      session: session.id,
      ...exec,
      ...(because === undefined ? {} : { because }),
      ...(digest === undefined ? {} : { digest }),
      ...(requested === undefined ? {} : { requested }),
      ...(environment === undefined ? {} : { environment }),
    };
    if (step === 'released') this.parts.records.noteWithNext(body);
    else this.note(session, body);
    const shown = { ...exec, argv: mirrorArguments(exec.argv) };
    const mirrored = { kind: 'exec' as const, session: session.id, ...shown, step };
    return this.parts.sessions.update(session, withExec(session.view, shown, 'running'), mirrored);
  }

  detached(session: Session, message: Of<'detached'>): void {
    const { at: _at, ...detached } = message;
    const told = { session: session.id, ...detached };
    this.note(session, told);
    return this.parts.sessions.update(session, withDetached(session.view, message), told);
  }

  end(session: Session, message: Of<'end'>): void {
    const { at: _at, ...end } = message;
    const told = { session: session.id, ...end };
    this.note(session, told);
    this.forget(session, message);
    return this.parts.sessions.update(session, withEnd(session.view, message), told);
  }

  private note(session: Session, body: RecordBody): void {
    this.recorded += 1;
    if (this.recorded <= this.most) this.parts.records.noteWithNext(body);
    else this.parts.sessions.countGap(session, gap);
  }

  private forget(session: Session, key: { readonly pid: number; readonly startedAt: string }): void {
    const member = session.members.get(memberKey(key));
    if (member === undefined) return;
    this.parts.sessions.memberEnded(session, memberKey(key));
    this.parts.census.removeMember(member);
  }
}
