/** Judges each connection and listener of the family: released unasked, asked, or refused. Lives on the watch thread. */
import type { ConnectionFacts, RequestRef } from '../core/facts.ts';
import {
  destinationKey,
  destinationText,
  judgeConnection,
  type OtherEnd,
} from '../core/transition/judgeConnection.ts';
import { meaningOf } from '../core/transition/services.ts';
import type { Answer } from '../kernel/listener.ts';
import { errnoName } from '../kernel/libc.ts';
import { errnos } from '../kernel/numbers.ts';
import type { Rule } from '../protocol/desk.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { ToSupervisor } from '../protocol/toSupervisor.ts';
import { programFacts } from '../watch/program.ts';
import type { HeldSocket } from '../watch/seccomp/heldSockets.ts';
import type { Member } from '../watch/seccomp/members.ts';
import type { SocketCalls } from '../watch/seccomp/sockets.ts';
import { Asking, type AskingEvents } from './asking.ts';
import { Hosts } from './hosts.ts';
import { OnceGrants } from './onceGrants.ts';
import { listenerOf, OtherEnds } from './otherEnd.ts';
import { refusalOf } from './refusal.ts';
import type { Programs, RunningProgram } from './programs.ts';

type Decision = Extract<ToSupervisor, { kind: 'decision' }>;

export interface ConnectionsEvents extends AskingEvents {
  /** To the desk; `handed` runs once it is there. */
  send(message: FromSupervisor, handed?: () => void): void;
  denied(request: RequestRef | undefined, rule: Rule, text: string): void;
  failed(error: unknown): void;
}

export interface ConnectionsOptions {
  readonly user: string;
  readonly callHoldMs: number;
  readonly localOnly: boolean;
  /** Kinwatch's own folders: their sockets are never reached. */
  readonly kinwatch: readonly string[];
  /** What `SSH_AUTH_SOCK` names for the family. */
  readonly agent?: string;
  readonly argumentsOf: (number: number) => string | undefined;
}

interface HeldConnection {
  readonly member: Member;
  readonly call: HeldSocket;
  readonly program: RunningProgram;
  readonly host: string | undefined;
}

export class Connections {
  readonly ends = new OtherEnds();
  private readonly hosts = new Hosts();
  private readonly asking: Asking<HeldConnection>;
  private readonly allowed = new Set<string>();
  private readonly once = new OnceGrants();
  private readonly names = new WeakMap<HeldSocket, string>();
  /** Released since its other end is the family's own. */
  private readonly own = new WeakSet<HeldSocket>();
  private ending = false;

  constructor(
    private readonly calls: Pick<SocketCalls, 'release' | 'refuse' | 'isHeld'>,
    private readonly programs: Programs,
    private readonly options: ConnectionsOptions,
    private readonly events: ConnectionsEvents,
  ) {
    this.asking = new Asking('connection', events);
  }

  judge(call: HeldSocket): void {
    this.decide(call).catch((error: unknown) => {
      this.refuse(call, 'address unreadable');
      this.events.failed(error);
    });
  }

  private async decide(call: HeldSocket): Promise<void> {
    const program = this.programs.of(call.member);
    const { endpoint } = call;
    const otherEnd = this.ends.of(call);
    if (otherEnd === 'nobody') return this.failByItself(call);
    // Without a name first: what was allowed before needs no resolver.
    const unnamed = this.judgement(call, program, otherEnd, undefined);
    if (unnamed.kind === 'refuse') return this.refuse(call, unnamed.rule);
    if (unnamed.kind === 'release') return this.release(call, unnamed.because);
    if (program === undefined) return this.refuse(call, 'program unreadable');
    const host =
      endpoint.kind === 'inet' ? await this.hosts.nameOf(program.argv, endpoint.address) : undefined;
    if (host !== undefined) this.names.set(call, host);
    // Its caller may have ended meanwhile.
    if (!this.calls.isHeld(call)) return undefined;
    const named = this.judgement(call, program, otherEnd, host);
    if (named.kind === 'refuse') return this.refuse(call, named.rule);
    if (named.kind === 'release') return this.release(call, named.because);
    if (this.once.allows(keyOf(program, call, host), call.member)) return this.release(call, 'allowed once');
    const held = { member: call.member, call, program, host };
    return this.asking.ask(held, (ref) => this.question(ref, held));
  }

  private judgement(
    call: HeldSocket,
    program: RunningProgram | undefined,
    otherEnd: OtherEnd,
    host: string | undefined,
  ): ReturnType<typeof judgeConnection> {
    const { endpoint } = call;
    const { kinwatch, agent, localOnly } = this.options;
    const meaning = endpoint.kind === 'unix' ? { meaning: meaningOf(endpoint.path, kinwatch, agent) } : {};
    const key = program === undefined ? '' : keyOf(program, call, host);
    const look = { endpoint, otherEnd, key, ...meaning };
    return judgeConnection(look, { ending: this.ending, localOnly, allowed: this.allowed });
  }

  private async question(ref: string, held: HeldConnection): Promise<FromSupervisor> {
    const { member, call, program, host } = held;
    const { request } = member;
    const requestArguments = request === undefined ? undefined : this.options.argumentsOf(request.number);
    const listener = await listenerOf(call).catch(() => undefined); // told where it can be
    const facts: ConnectionFacts = {
      pid: member.pid,
      startedAt: member.startedAt,
      ppid: member.ppid,
      user: this.options.user,
      action: call.action,
      transport: call.transport,
      endpoint: call.endpoint,
      ...(host === undefined ? {} : { host }),
      ...(listener === undefined ? {} : { listener }),
      argv: program.argv,
      cwd: program.cwd,
      program: await programFacts(program.look, program.environment),
      ...(request === undefined ? {} : { request }),
      ...(requestArguments === undefined ? {} : { requestArguments }),
    };
    const heldUntil = new Date(Date.now() + this.options.callHoldMs).toISOString();
    return { kind: 'ask connection', ref, facts, heldUntil };
  }

  questions(): FromSupervisor[] {
    return this.asking.questions();
  }

  /** Refs of others, and those withdrawn meanwhile, are none of these. */
  decided(decision: Decision): void {
    const held = this.asking.settle(decision.ref);
    if (held === undefined) return;
    const { call, program, host, member } = held;
    if (!decision.allow) {
      this.refuse(call, decision.rule ?? 'denied by reviewer', decision.text);
      return;
    }
    const key = keyOf(program, call, host);
    if (decision.scope === 'session') this.allowed.add(key);
    else this.once.add(key, member);
    this.release(call, decision.scope === 'session' ? 'allowed for this session' : 'allowed once');
  }

  callerEnded(member: Member): void {
    this.asking.withdraw('the process that asked has ended', (held) => held.member === member);
    this.once.spend(member);
  }

  /** The family ends: nobody is reached any more, and what waits is refused. */
  refuseAll(): void {
    this.ending = true;
    for (const { call } of this.asking.withdraw('the family is ending', () => true))
      this.refuse(call, 'family is ending');
  }

  /** A released call was performed. */
  done(call: HeldSocket, answer: Answer): void {
    const failed = answer.kind === 'errno';
    if (!failed && call.transport === 'tcp' && call.action === 'connect') this.once.spend(call.member);
    this.tell(call, failed ? { step: 'failed', error: errnoName(answer.errno) } : { step: 'done' });
  }

  /** Was made on the file that was judged; behind it may be another service than its path told. */
  mayReach(call: HeldSocket, boundPath: string, listenerPid: number): boolean {
    const { kinwatch, agent } = this.options;
    // Members' sockets are made to listen by this process. A path says less: in another mount namespace it is another's.
    if (this.own.has(call) && listenerPid !== process.pid) {
      this.report(call, 'program differs from what was judged', destinationText(call.endpoint));
      return false;
    }
    if (boundPath === '' || call.endpoint.kind !== 'unix' || boundPath === call.endpoint.path) return true;
    const shown = meaningOf(call.endpoint.path, kinwatch, agent);
    const real = meaningOf(boundPath, kinwatch, agent);
    if (real.kind === 'forbidden') {
      this.report(call, real.rule, `${destinationText(call.endpoint)}, bound as ${boundPath}`);
      return false;
    }
    const same = real.kind === 'unknown' || JSON.stringify(shown) === JSON.stringify(real);
    if (!same) this.report(call, 'program differs from what was judged', `${boundPath} under another name`);
    return same;
  }

  /** Nobody is there: answered without trying, so that nobody can be there a moment later. */
  private failByItself(call: HeldSocket): void {
    this.calls.refuse(call, errnos.ECONNREFUSED);
    this.tell(call, { step: 'failed', error: 'ECONNREFUSED' });
  }

  private release(call: HeldSocket, because: string): void {
    if (because === 'own family') this.own.add(call);
    // Invariant: the record is on its way to the desk before the connection is made.
    this.tell(call, { step: 'released', because }, () =>
      this.ending ? this.calls.refuse(call) : this.calls.release(call),
    );
  }

  private tell(
    call: HeldSocket,
    step: Pick<Extract<FromSupervisor, { kind: 'connection' }>, 'step' | 'because' | 'error'>,
    handed?: () => void,
  ): void {
    const { member, action, transport, endpoint } = call;
    const host = this.names.get(call);
    this.events.send(
      {
        kind: 'connection',
        pid: member.pid,
        startedAt: member.startedAt,
        ...step,
        action,
        transport,
        endpoint,
        ...(host === undefined ? {} : { host }),
        ...(member.request === undefined ? {} : { request: member.request }),
        at: new Date().toISOString(),
      },
      handed,
    );
  }

  private refuse(call: HeldSocket, rule: Rule, text?: string): void {
    this.calls.refuse(call);
    this.report(call, rule, destinationText(call.endpoint, this.names.get(call)), text);
  }

  private report({ member, action }: HeldSocket, rule: Rule, what: string, text?: string): void {
    const deed = action === 'listen' ? 'a listener at' : 'a connection to';
    const said = text ?? `Kinwatch refused ${deed} ${what}: ${rule}`;
    const exe = this.programs.of(member)?.look.executable.facts.path;
    this.events.send(refusalOf(member, 'socket', rule, said, exe));
    this.events.denied(member.request, rule, said);
  }
}

function keyOf({ identity }: RunningProgram, call: HeldSocket, host: string | undefined): string {
  const { action, endpoint } = call;
  return `${identity} ${destinationKey({ action, endpoint, ...(host === undefined ? {} : { host }) })}`;
}
