/** What families connect to: written, folded into the session's view, and shown. In a loop it is counted. */
import type { ConnectionStep } from '../core/family/connections.ts';
import type { ConnectionFacts, Endpoint, RequestRef, SocketAction, Transport } from '../core/facts.ts';
import { destinationKey } from '../core/transition/judgeConnection.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import { type Counted, Loops } from './loops.ts';
import { maskDeep } from './mask.ts';
import type { Records } from './records.ts';
import { processOf, withConnectionOf } from './sessionView.ts';
import type { Session, Sessions } from './sessions.ts';

/** Of one program, one destination and one step. */
const limits = { mostListed: 20, mostNames: 200 };
/** The name of what is counted, in a session's coverage. */
const gap = 'connections not listed';

/** What is said of a connection, whoever says it. */
interface Said {
  readonly pid: number;
  readonly startedAt: string;
  readonly action: SocketAction;
  readonly transport: Transport;
  readonly endpoint: Endpoint;
  readonly host?: string;
  readonly request?: RequestRef;
  readonly error?: string;
}

interface Step {
  readonly session: string;
  readonly step: ConnectionStep;
}

export class Traffic {
  private readonly loops: Loops<Step>;

  constructor(
    private readonly sessions: Sessions,
    private readonly records: Records,
    /** Milliseconds that never step back. */
    clock: () => number = () => performance.now(),
  ) {
    this.loops = new Loops(limits, (counted) => this.counted(counted), clock);
  }

  /** A supervisor's word: written first. */
  told(session: Session, message: Extract<FromSupervisor, { kind: 'connection' }>): void {
    const { kind: _kind, step, because, at, ...said } = message;
    if (!this.isListed(session, said, step)) return;
    this.records.note({
      kind: 'connection',
      session: session.id,
      ...said,
      step,
      ...(because === undefined ? {} : { because }),
    });
    this.show(session, said, step, at);
  }

  /** It waits for an answer, or was denied: its question and its decision are its records. */
  held(session: Session, facts: ConnectionFacts): void {
    if (this.isListed(session, facts, 'held')) this.show(session, saidOf(facts), 'held');
  }

  refused(session: Session, facts: ConnectionFacts): void {
    if (this.isListed(session, facts, 'refused')) this.show(session, saidOf(facts), 'refused');
  }

  /** It may go on; what its supervisor makes of it is told later. */
  allowed(session: Session, facts: ConnectionFacts): void {
    const event = { ...masked(saidOf(facts)), step: 'released' as const };
    this.sessions.update(session, withConnectionOf(session.view, event, new Date().toISOString()));
  }

  sweep(): void {
    this.loops.sweep();
  }

  /** The session is about to end. */
  ending({ id }: Session): void {
    this.loops.ending(id);
  }

  closeAll(): void {
    this.loops.closeAll();
  }

  private isListed(session: Session, said: Said, step: ConnectionStep): boolean {
    const exe = processOf(session.view, said)?.exe ?? '';
    if (this.loops.isListed({ session: session.id, step }, `${exe} ${destinationKey(said)}`)) return true;
    this.sessions.countGap(session, gap);
    return false;
  }

  private show(session: Session, said: Said, step: ConnectionStep, at = new Date().toISOString()): void {
    const event = { ...masked(said), step };
    this.sessions.update(session, withConnectionOf(session.view, event, at), {
      kind: 'connection',
      session: session.id,
      ...event,
    });
  }

  private counted({ of, name, count, since, until }: Counted<Step>): void {
    this.records.note({ kind: 'connections counted', ...of, of: name, count, since, until });
  }
}

function saidOf({ pid, startedAt, action, transport, endpoint, host, request }: ConnectionFacts): Said {
  return {
    pid,
    startedAt,
    action,
    transport,
    endpoint,
    ...(host === undefined ? {} : { host }),
    ...(request === undefined ? {} : { request }),
  };
}

function masked(said: Said): Said {
  return maskDeep(said);
}
