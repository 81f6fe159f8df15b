/** Judges each exec of the family: released unasked, asked, or refused. Lives on the watch thread. */
import type { Argument, ExecFacts, RequestRef } from '../core/facts.ts';
import { type ExecLook, judgeExec } from '../core/transition/judge.ts';
import type { Rule } from '../protocol/desk.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { ToSupervisor } from '../protocol/toSupervisor.ts';
import { readExe } from '../watch/proc.ts';
import {
  identityOf,
  isSystemOwned,
  programFacts,
  type ProgramLook,
  programUnchanged,
} from '../watch/program.ts';
import type { Member } from '../watch/seccomp/members.ts';
import type { HeldExec, Watcher } from '../watch/seccomp/watcher.ts';
import { Asking, type AskingEvents } from './asking.ts';
import { OwnEnvironment } from './ownEnvironment.ts';
import { refusalOf } from './refusal.ts';
import { StartPackage } from './startPackage.ts';

/** After this long an unanswered `initialize` no longer keeps the start-up open (DESIGN §3). */
export const startupMs = 10_000;

type Decision = Extract<ToSupervisor, { kind: 'decision' }>;

export interface ExecsEvents extends AskingEvents {
  /** To the desk; `handed` runs once it is there. */
  send(message: FromSupervisor, handed?: () => void): void;
  /** It is about to go on as another program. */
  released(judged: JudgedExec): void;
  denied(request: RequestRef | undefined, rule: Rule, text: string): void;
  failed(error: unknown): void;
}

/** A held exec and what it counts as. */
export interface JudgedExec {
  readonly exec: HeldExec;
  readonly identity: string;
  /** Variables that make it load or run other code and that are not the session's own. */
  readonly environment: readonly Argument[];
}

export class Execs {
  private phase: 'startup' | 'running' | 'ending' = 'startup';
  private requestSeen = false;
  private readonly approved = new Set<string>();
  private readonly asking: Asking<JudgedExec & { readonly member: Member }>;
  private readonly startPackage: StartPackage;
  private readonly own: OwnEnvironment;

  constructor(
    private readonly watcher: Watcher,
    program: ProgramLook,
    private readonly options: {
      readonly user: string;
      readonly callHoldMs: number;
      /** Of the server as it is launched, as `NAME=value`: those that make programs load or run other code. */
      readonly environment: readonly string[];
      /** Arguments of a request in flight, as JSON text. */
      readonly argumentsOf: (number: number) => string | undefined;
    },
    private readonly events: ExecsEvents,
  ) {
    this.startPackage = new StartPackage(program);
    this.own = new OwnEnvironment(options.environment);
    this.asking = new Asking('exec', events);
  }

  /** The chain that stood on the start card. */
  async approveStart(programs: readonly ProgramLook[]): Promise<void> {
    for (const program of programs) this.approved.add(await identityOf(program));
  }

  startupOver(): void {
    if (this.phase === 'startup') this.phase = 'running';
  }

  requestArrived(): void {
    this.requestSeen = true;
  }

  judge(exec: HeldExec): void {
    if (this.phase === 'startup' && !this.requestSeen) this.own.learn(exec.environment);
    const environment = this.own.changed(exec.environment);
    const identity = identityOf(exec.look, environment);
    if (typeof identity === 'string') {
      this.decide({ exec, identity, environment });
      return;
    }
    identity.then(
      (known) => this.decide({ exec, identity: known, environment }),
      (error: unknown) => {
        this.refuse(exec, 'program unreadable');
        this.events.failed(error);
      },
    );
  }

  private decide(judged: JudgedExec): void {
    const { exec, identity } = judged;
    const loadsOnlyItself = judged.environment.length === 0;
    const look: ExecLook = {
      identity,
      systemOwned: loadsOnlyItself && isSystemOwned(exec.look),
      inStartPackage: loadsOnlyItself && this.startPackage.holds(exec.look),
      codeOnStdin: exec.look.codeOnStdin,
    };
    const judgement = judgeExec(look, {
      phase: this.phase,
      approved: this.approved,
      requestSeen: this.requestSeen,
    });
    switch (judgement.kind) {
      case 'release':
        this.approved.add(identity);
        this.release(judged, judgement.because);
        return;
      case 'refuse':
        this.refuse(exec, judgement.rule);
        return;
      case 'ask':
        this.asking
          .ask({ ...judged, member: exec.member }, (ref) => this.question(ref, judged))
          .catch((error: unknown) => {
            this.refuse(exec, 'program unreadable');
            this.events.failed(error);
          });
    }
  }

  private async question(ref: string, judged: JudgedExec): Promise<FromSupervisor> {
    const { exec } = judged;
    const { member } = exec;
    const parentExe = readExe(member.pid);
    const request = member.request;
    const requestArguments = request === undefined ? undefined : this.options.argumentsOf(request.number);
    const facts: ExecFacts = {
      pid: member.pid,
      startedAt: member.startedAt,
      ppid: member.ppid,
      ...(parentExe === undefined ? {} : { parentExe }),
      user: this.options.user,
      requested: exec.call.requested,
      argv: exec.argv,
      argvUnreadBytes: 0,
      cwd: exec.call.cwd,
      program: await programFacts(exec.look, judged.environment),
      ...(request === undefined ? {} : { request }),
      ...(requestArguments === undefined ? {} : { requestArguments }),
    };
    const heldUntil = new Date(Date.now() + this.options.callHoldMs).toISOString();
    return { kind: 'ask', ref, facts, heldUntil };
  }

  /** Questions that wait, for a desk that has not heard them. */
  questions(): FromSupervisor[] {
    return this.asking.questions();
  }

  /** The desk decided. Unknown refs were withdrawn meanwhile. */
  decided(decision: Decision): void {
    const judged = this.asking.settle(decision.ref);
    if (judged === undefined) return;
    const { exec, identity } = judged;
    if (!decision.allow) {
      this.refuse(exec, decision.rule ?? 'denied by reviewer', decision.text);
      return;
    }
    // What was shown must be what runs: a file changed since the card was made is not released.
    if (!programUnchanged(exec.look)) {
      this.refuse(exec, 'program differs from what was judged');
      return;
    }
    if (decision.scope === 'session' && !exec.look.codeOnStdin) this.approved.add(identity);
    this.release(judged, decision.scope === 'session' ? 'allowed for this session' : 'allowed once');
  }

  /** The caller of a held exec has ended. */
  callerEnded(ended: Member): void {
    this.asking.withdraw('the process that asked has ended', ({ member }) => member === ended);
  }

  /** The family ends: nothing new starts, and what waits is refused. */
  refuseAll(): void {
    this.phase = 'ending';
    for (const { exec } of this.asking.withdraw('the family is ending', () => true))
      this.refuse(exec, 'family is ending');
  }

  private release(judged: JudgedExec, because: string): void {
    const { exec, environment } = judged;
    const { member, look } = exec;
    const exe = look.executable.facts.path;
    const { requested } = exec.call;
    this.events.released(judged);
    // Invariant: the record is on its way to the desk before the program goes on.
    this.events.send(
      {
        kind: 'exec',
        pid: member.pid,
        startedAt: member.startedAt,
        step: 'released',
        because,
        exe,
        ...(requested === exe ? {} : { requested }),
        ...(environment.length === 0 ? {} : { environment }),
        argv: [...exec.argv],
        cwd: exec.call.cwd,
        ...(member.request === undefined ? {} : { request: member.request }),
        at: new Date().toISOString(),
      },
      // The desk may have been away meanwhile, and the end begun.
      () => (this.phase === 'ending' ? this.watcher.refuse(exec) : this.watcher.release(exec)),
    );
  }

  private refuse(exec: HeldExec, rule: Rule, text?: string): void {
    const { member, look } = exec;
    const said = text ?? `Kinwatch refused ${look.executable.facts.path}: ${rule}`;
    this.watcher.refuse(exec);
    this.events.send(refusalOf(member, 'exec', rule, said, look.executable.facts.path));
    this.events.denied(member.request, rule, said);
  }
}
