/** Judges each exec of the family: released unasked, asked, or refused. Lives on the watch thread. */
import type { ExecFacts, RequestRef } from '../core/facts.ts';
import { type ExecLook, judgeExec } from '../core/transition/judge.ts';
import type { Rule } from '../protocol/desk.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { ToSupervisor } from '../protocol/toSupervisor.ts';
import { readExe } from '../watch/proc.ts';
import {
  identityOf,
  isSystemOwned,
  packageRoot,
  programFacts,
  type ProgramLook,
  programUnchanged,
} from '../watch/program.ts';
import type { HeldExec, Watcher } from '../watch/seccomp/watcher.ts';

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
  released(exec: HeldExec, identity: string): void;
  denied(request: RequestRef | undefined, rule: Rule, text: string): void;
  failed(error: unknown): void;
}

interface Waiting {
  readonly exec: HeldExec;
  readonly identity: string;
  /** The question, once its facts are known. */
  question?: FromSupervisor;
}

export class Execs {
  private phase: 'startup' | 'running' | 'ending' = 'startup';
  private requestSeen = false;
  private readonly approved = new Set<string>();
  private readonly waiting = new Map<string, Waiting>();
  private readonly startPackage: string | undefined;
  private readonly runnerPackage: string | undefined;
  private count = 0;

  constructor(
    private readonly watcher: Watcher,
    program: ProgramLook,
    private readonly options: {
      readonly user: string;
      readonly callHoldMs: number;
      /** Arguments of a request in flight, as JSON text. */
      readonly argumentsOf: (number: number) => string | undefined;
    },
    private readonly events: ExecsEvents,
  ) {
    this.startPackage = program.script === undefined ? undefined : packageRoot(program.script.facts.path);
    this.runnerPackage = program.package;
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
    const identity = identityOf(exec.look);
    if (typeof identity === 'string') {
      this.decide(exec, identity);
      return;
    }
    identity.then(
      (known) => this.decide(exec, known),
      (error: unknown) => {
        this.refuse(exec, 'program unreadable');
        this.events.failed(error);
      },
    );
  }

  private decide(exec: HeldExec, identity: string): void {
    const look: ExecLook = {
      identity,
      systemOwned: isSystemOwned(exec.look),
      inStartPackage: this.belongsToStart(exec.look),
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
        this.release(exec, identity, judgement.because);
        return;
      case 'refuse':
        this.refuse(exec, judgement.rule);
        return;
      case 'ask':
        this.ask(exec, identity).catch((error: unknown) => {
          this.refuse(exec, 'program unreadable');
          this.events.failed(error);
        });
    }
  }

  private belongsToStart(look: ProgramLook): boolean {
    const runner = this.runnerPackage;
    const files = [look.executable.facts, ...(look.script === undefined ? [] : [look.script.facts])];
    return files.every(({ path, ownerUid, writable }) => {
      if (ownerUid === 0 && !writable) return true;
      if (this.startPackage !== undefined && path.startsWith(`${this.startPackage}/`)) return true;
      return runner !== undefined && path.includes(`/node_modules/${bareName(runner)}/`);
    });
  }

  private async ask(exec: HeldExec, identity: string): Promise<void> {
    this.count += 1;
    const ref = `exec-${this.count}`;
    const waiting: Waiting = { exec, identity };
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
      program: await programFacts(exec.look),
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
    this.release(exec, identity, decision.scope === 'session' ? 'allowed for this session' : 'allowed once');
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

  private release(exec: HeldExec, identity: string, because: string): void {
    const { member, look } = exec;
    this.events.released(exec, identity);
    // Invariant: the record is on its way to the desk before the program goes on.
    this.events.send(
      {
        kind: 'exec',
        pid: member.pid,
        startedAt: member.startedAt,
        step: 'released',
        because,
        exe: look.executable.facts.path,
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

/** `@scope/name@1.2` → `@scope/name`. */
function bareName(spec: string): string {
  const at = spec.indexOf('@', 1);
  return at === -1 ? spec : spec.slice(0, at);
}
