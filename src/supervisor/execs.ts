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
import type { HeldExec, Watcher } from '../watch/seccomp/watcher.ts';
import { OwnEnvironment } from './ownEnvironment.ts';
import { StartPackage } from './startPackage.ts';

/** After this long an unanswered `initialize` no longer keeps the start-up open (DESIGN §3). */
export const startupMs = 10_000;

type Decision = Extract<ToSupervisor, { kind: 'decision' }>;

export interface ExecsEvents {
  /** To the desk; `handed` runs once it is there. */
  send(message: FromSupervisor, handed?: () => void): void;
  /** The exec waits for a person. */
  waiting(ref: string, request: RequestRef | undefined): void;
  settled(ref: string): void;
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

interface Waiting extends JudgedExec {
  /** The question, once its facts are known. */
  question?: FromSupervisor;
}

export class Execs {
  private phase: 'startup' | 'running' | 'ending' = 'startup';
  private requestSeen = false;
  private readonly approved = new Set<string>();
  private readonly waiting = new Map<string, Waiting>();
  private readonly startPackage: StartPackage;
  private readonly own: OwnEnvironment;
  private count = 0;

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
        this.ask(judged).catch((error: unknown) => {
          this.refuse(exec, 'program unreadable');
          this.events.failed(error);
        });
    }
  }

  private async ask(judged: JudgedExec): Promise<void> {
    const { exec } = judged;
    this.count += 1;
    const ref = `exec-${this.count}`;
    const waiting: Waiting = { ...judged };
    this.waiting.set(ref, waiting);
    const { member } = exec;
    this.events.waiting(ref, member.request);
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
    if (!this.waiting.has(ref)) return;
    const heldUntil = new Date(Date.now() + this.options.callHoldMs).toISOString();
    waiting.question = { kind: 'ask', ref, facts, heldUntil };
    this.events.send(waiting.question);
  }

  /** Questions that wait, for a desk that has not heard them. */
  questions(): FromSupervisor[] {
    return [...this.waiting.values()].flatMap(({ question }) => (question === undefined ? [] : [question]));
  }

  /** The desk decided. Unknown refs were withdrawn meanwhile. */
  decided(decision: Decision): void {
    const waiting = this.waiting.get(decision.ref);
    if (waiting === undefined) return;
    this.settle(decision.ref);
    const { exec, identity } = waiting;
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
    this.release(waiting, decision.scope === 'session' ? 'allowed for this session' : 'allowed once');
  }

  /** The caller of a held exec has ended. */
  callerEnded(pid: number): void {
    for (const [ref, { exec }] of this.waiting) {
      if (exec.member.pid !== pid) continue;
      this.events.send({ kind: 'withdraw', ref, reason: 'the process that asked has ended' });
      this.settle(ref);
    }
  }

  /** The family ends: nothing new starts, and what waits is refused. */
  refuseAll(): void {
    this.phase = 'ending';
    for (const [ref, { exec }] of this.waiting) {
      this.events.send({ kind: 'withdraw', ref, reason: 'the family is ending' });
      this.settle(ref);
      this.refuse(exec, 'family is ending');
    }
  }

  private settle(ref: string): void {
    this.waiting.delete(ref);
    this.events.settled(ref);
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
    this.events.send({
      kind: 'refusal',
      what: 'exec',
      pid: member.pid,
      startedAt: member.startedAt,
      rule,
      text: said,
      exe: look.executable.facts.path,
      ...(member.request === undefined ? {} : { request: member.request }),
      at: new Date().toISOString(),
    });
    this.events.denied(member.request, rule, said);
  }
}
