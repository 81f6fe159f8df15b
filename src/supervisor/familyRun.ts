/** The running family on the main thread: launched, relayed to, ended once. */
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describeMember, Family, type Recorded } from '../contain/family.ts';
import { stopOne } from '../contain/stopOne.ts';
import type { Domain } from '../kernel/landlock.ts';
import { Listener } from '../kernel/listener.ts';
import { closeFd } from '../kernel/pidfd.ts';
import { socketPair } from '../kernel/socketPair.ts';
import { loadsCode } from '../core/policy/codeVariables.ts';
import { toArgument } from '../watch/argument.ts';
import { coverageText } from './coverage.ts';
import { endContained, endOrderly, type EndSubject, type EvidenceResult } from './ending.ts';
import { messages } from './messages.ts';
import type { StartPlan } from './plan.ts';
import type { ForwardedRequest, Outcome, Relay } from './relay/relay.ts';
import { Signal } from './signal.ts';
import { StderrTail } from './stderrTail.ts';
import { pipeOpener } from './streams.ts';
import type { Threads } from './threadPair.ts';
import type { FromSpawner, FromWatch } from './threads.ts';

/** The desk has one second for the evidence; it is waited for a little longer. */
const evidenceWaitMs = 1500;
const couldNotRun = 3;

export interface WatchTerms {
  readonly listenerFd: number;
  readonly domain: Domain;
  /** How long an exec is held for an answer: by the client's patience. */
  readonly callHoldMs: number;
  /** Kinwatch's own folders. */
  readonly kinwatch: readonly string[];
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export class FamilyRun {
  private readonly members = new Map<string, Recorded & { readonly startedAt: string }>();
  private readonly holds = new Map<string, () => void>();
  private readonly family = new Family(process.pid, () => this.members.values());
  private readonly listener: Listener;
  private readonly evidence = new Signal<EvidenceResult>();
  private readonly done = new Signal<number>();
  private childEnds: readonly number[] = [];
  private parentEnds: readonly [number, number, number] | undefined;
  private rootPid: number | undefined;
  private exit: Exit | undefined;
  private stderr: StderrTail | undefined;
  private ending = false;
  private hurried = false;

  constructor(
    private readonly threads: Threads,
    private readonly relay: Relay,
    private readonly plan: StartPlan,
    { listenerFd, domain, callHoldMs, kinwatch }: WatchTerms,
    private readonly log: Writable,
  ) {
    this.listener = new Listener(listenerFd);
    const { first, between, program, path, argv, facts, localOnly, variables } = plan;
    const agent = variables['SSH_AUTH_SOCK'];
    threads.toWatch({
      kind: 'listen',
      plan: {
        listenerFd,
        first,
        between,
        program,
        path,
        argv,
        cwd: facts.cwd,
        environment: Object.entries(variables)
          .filter(([name]) => loadsCode(name))
          .map(([name, value]) => `${name}=${value}`),
        user: facts.user,
        callHoldMs,
        coverageText: coverageText(domain, localOnly),
        kinwatch,
        localOnly,
        ...(agent === undefined ? {} : { agent }),
      },
    });
  }

  finished(): Promise<number> {
    return this.done.wait();
  }

  request(request: ForwardedRequest): void {
    this.threads.toWatch({ kind: 'request', ...request });
  }

  result(number: number, outcome: Outcome): void {
    this.threads.toWatch({ kind: 'result', number, outcome });
  }

  initialized(): void {
    this.threads.toWatch({ kind: 'initialized' });
  }

  fromWatch(message: FromWatch): void {
    switch (message.kind) {
      case 'listening':
        this.launch();
        return;
      case 'members':
        for (const key of message.born) this.members.set(`${key.pid}:${key.startTicks}`, key);
        for (const { pid, startTicks } of message.gone) this.members.delete(`${pid}:${startTicks}`);
        return;
      case 'held':
        this.holds.set(message.ref, this.relay.hold(message.requests));
        return;
      case 'settled':
        this.holds.get(message.ref)?.();
        this.holds.delete(message.ref);
        return;
      case 'denied':
        // Only a certain attribution may change a result: another call's answer must pass as it is.
        if (message.request?.attribution === 'certain')
          this.relay.markDenied(message.request.number, message.text);
        return;
      case 'contain':
        this.end('contain', message.cause);
        return;
      case 'stopProcess':
        void this.stopProcess(message.pid, message.startedAt);
        return;
      case 'evidence':
        this.evidence.give(message);
        return;
      default:
        return;
    }
  }

  fromSpawner(message: FromSpawner): void {
    switch (message.kind) {
      case 'spawned':
        this.attach(message.pid);
        return;
      case 'spawn failed':
        this.log.write(`${messages.prefix}${messages.spawnFailed(message.reason)}\n`);
        this.exit = { code: couldNotRun, signal: null };
        this.end('orderly', messages.spawnFailed(message.reason));
        return;
      case 'exited':
        this.exit = message;
        // Its thread has nothing more to do, and ends while the rest is looked after. Not before the server did: a
        // server that asked for a signal at its parent's death (prctl(2)) would get it, the kernel means the thread.
        void this.threads.endSpawner();
        this.end('orderly', messages.exited(this.status()));
        return;
      default:
        return;
    }
  }

  /** A second request for the end, or a Contain, cuts an orderly end short. */
  hurry(): void {
    this.hurried = true;
  }

  /** Ends the family once; the first cause counts, a later Contain only hurries. */
  end(order: 'orderly' | 'contain', cause: string): void {
    if (this.ending) {
      if (order === 'contain') this.hurry();
      return;
    }
    this.ending = true;
    void this.finish(order, cause).catch((error: unknown) => {
      this.log.write(`${messages.prefix}${String(error)}\n`);
      this.done.give(couldNotRun);
    });
  }

  private launch(): void {
    const [stdin, stdout, stderr] = [socketPair(), socketPair(), socketPair()];
    this.parentEnds = [stdin[0], stdout[0], stderr[0]];
    this.childEnds = [stdin[1], stdout[1], stderr[1]];
    const { path, argv, facts, variables } = this.plan;
    this.threads.toSpawner({
      kind: 'spawn',
      plan: { path, argv, cwd: facts.cwd, environment: variables, stdio: [stdin[1], stdout[1], stderr[1]] },
    });
  }

  private attach(pid: number): void {
    this.rootPid = pid;
    for (const fd of this.childEnds) closeFd(fd);
    const [stdin, stdout, stderr] = this.parentEnds ?? [-1, -1, -1];
    this.stderr = new StderrTail(new Socket({ fd: stderr, readable: true, writable: false }), this.log);
    this.relay.attach(new Socket({ fd: stdin, readable: false, writable: true }), pipeOpener(stdout));
  }

  private status(): string {
    if (this.exit === undefined) return 'not reported';
    return this.exit.signal === null ? `exit ${this.exit.code ?? 0}` : `signal ${this.exit.signal}`;
  }

  private async finish(order: 'orderly' | 'contain', cause: string): Promise<void> {
    const subject: EndSubject = {
      family: this.family,
      listener: this.listener,
      rootPid: this.rootPid ?? -1,
      rootExited: () => this.exit !== undefined,
      known: () => this.members.size,
      refuseAll: () => this.threads.toWatch({ kind: 'refuseAll', cause }),
      evidence: () => this.takeEvidence(cause),
      endSpawner: () => this.threads.endSpawner(),
      hurried: () => this.hurried,
    };
    // A server that is gone answers nothing any more: the client is told before the rest of the family is ended.
    const told =
      this.exit === undefined ? undefined : this.relay.serverEnded(this.status(), this.stderr?.text() ?? '');
    const certificate =
      order === 'contain'
        ? await endContained(subject, cause)
        : await endOrderly(subject, cause, () => this.relay.endServerInput(), this.plan.endTimes);
    this.threads.toWatch({ kind: 'ended', cause, certificate });
    const status = order === 'contain' ? `contained by Kinwatch: ${cause}` : this.status();
    await (told ?? this.relay.serverEnded(status, this.stderr?.text() ?? ''));
    await this.threads.endWatch();
    this.family.close();
    this.listener.close();
    this.done.give(this.exitCode());
  }

  private exitCode(): number {
    if (this.exit === undefined || this.exit.signal !== null) return 128 + 9;
    return this.exit.code ?? 0;
  }

  private takeEvidence(cause: string): Promise<EvidenceResult> {
    const members = this.family.living().map((stat) => {
      const described = describeMember(stat);
      return { ...described, argv: described.argv.map(toArgument) };
    });
    this.threads.toWatch({ kind: 'frozen', cause, members });
    const late: EvidenceResult = {
      folder: null,
      manifest: null,
      gaps: [messages.evidenceLate],
      evidenceMs: evidenceWaitMs,
    };
    return Promise.race([this.evidence.wait(), delay(evidenceWaitMs, late, { ref: false })]);
  }

  private async stopProcess(pid: number, startedAt: string): Promise<void> {
    const member = [...this.members.values()].find(
      (known) => known.pid === pid && known.startedAt === startedAt,
    );
    const outcome = member === undefined ? 'it is not in this family, or has ended' : await stopOne(member);
    this.threads.toWatch({ kind: 'stopped', pid, startedAt, outcome });
  }
}
