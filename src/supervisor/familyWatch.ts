/** The watched family on the watch thread: births, execs and ends become records, questions and answers. */
import type { Argument, RequestRef } from '../core/facts.ts';
import { leftOutside } from '../core/consequence/outside.ts';
import type { Rule } from '../protocol/desk.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { ToSupervisor } from '../protocol/toSupervisor.ts';
import { identityOf } from '../watch/program.ts';
import type { Member } from '../watch/seccomp/members.ts';
import { Watcher, type WatcherEvents } from '../watch/seccomp/watcher.ts';
import { Execs, startupMs } from './execs.ts';
import { FamilySockets } from './familySockets.ts';
import { Gaps } from './gaps.ts';
import { watchLateness } from './lateness.ts';
import { MemberNews } from './memberNews.ts';
import type { OpenRequests } from './openRequests.ts';
import { Reaper } from './reaper.ts';
import type { FromWatch, ListenPlan } from './threads.ts';

/** Hand-overs that a certificate names one by one. */
const mostNamed = 50;

export interface FamilyWatchOutlets {
  /** To the desk; `handed` runs once it is there. */
  send(message: FromSupervisor, handed?: () => void): void;
  /** To the main thread. */
  say(message: FromWatch): void;
  fail(error: unknown): void;
  /** Takes in what the main thread has said meanwhile. */
  takeNews(): void;
}

export class FamilyWatch {
  readonly execs: Execs;
  private readonly sockets: FamilySockets;
  readonly gaps: Gaps;
  private stopLateness: (() => void) | undefined;
  private readonly watcher: Watcher;
  private readonly reaper: Reaper;
  private readonly news: MemberNews;
  private root: Member | undefined;
  private readonly handedOver = new Set<string>();
  /** What each living member runs, for a desk that has not heard it. */
  private readonly programs = new Map<
    Member,
    { readonly exe: string; readonly argv: Argument[]; readonly cwd: string }
  >();

  constructor(
    private readonly plan: ListenPlan,
    private readonly requests: OpenRequests,
    private readonly out: FamilyWatchOutlets,
  ) {
    const answers = {
      send: (message: FromSupervisor, handed?: () => void) => out.send(message, handed),
      waiting: (ref: string, request: RequestRef | undefined) =>
        this.say({ kind: 'held', ref, requests: this.waitingRequests(request) }),
      settled: (ref: string) => this.say({ kind: 'settled', ref }),
      denied: (request: RequestRef | undefined, rule: Rule, text: string) => this.denied(request, rule, text),
      failed: (error: unknown) => out.fail(error),
    };
    this.gaps = new Gaps(plan.coverageText, (coverage) => out.send({ kind: 'coverage', coverage }));
    const { user, callHoldMs, localOnly, kinwatch, agent } = plan;
    const argumentsOf = (number: number): string | undefined => requests.argumentsOf(number);
    this.sockets = new FamilySockets(
      () => this.watcher.sockets,
      { user, callHoldMs, localOnly, kinwatch, argumentsOf, ...(agent === undefined ? {} : { agent }) },
      { ...answers, gap: (what) => this.gaps.count(what) },
    );
    this.watcher = new Watcher(
      plan.listenerFd,
      this.events(),
      (parent) => requests.attribute(parent?.request),
      // Requests sent to the server must be known before its calls are judged, whatever the event loop's order.
      () => out.takeNews(),
      this.sockets.connectors,
      localOnly,
    );
    this.news = new MemberNews((message) => out.say(message));
    this.reaper = new Reaper(
      (member) => member === this.root,
      (member) => this.watcher.members.get(member.pid) === member,
    );
    this.execs = new Execs(
      this.watcher,
      plan.program,
      { user, callHoldMs, environment: plan.environment, argumentsOf },
      { ...answers, released: (judged) => this.sockets.released(judged) },
    );
  }

  /** Resolves when the listener is served: the server may be launched then. */
  async start(): Promise<void> {
    const { first, between, program, path, argv, cwd, environment } = this.plan;
    this.watcher.expectRoot({ look: first, requested: path, argv, environment });
    this.sockets.expectRoot({ identity: await identityOf(first), look: first, environment: [], argv, cwd });
    await this.execs.approveStart([first, ...between, program]);
    this.watcher.start();
    setTimeout(() => this.execs.startupOver(), startupMs).unref();
    this.out.send({ kind: 'running', coverage: this.gaps.coverage() });
    this.stopLateness = watchLateness(() => this.gaps.count('times the watch was late by more than 250 ms'));
  }

  /** The family as it is now, for a desk that starts without knowing it: births before their programs. */
  standing(): FromSupervisor[] {
    return [
      { kind: 'running', coverage: this.gaps.coverage() },
      ...this.watcher.members.all().flatMap((member): FromSupervisor[] => {
        const program = this.programs.get(member);
        const { pid, startedAt, at } = about(member);
        return [
          birthOf(member),
          ...(program === undefined
            ? []
            : [{ kind: 'exec' as const, ...about(member), step: 'confirmed' as const, ...program }]),
          ...(member.detached ? [{ kind: 'detached' as const, pid, startedAt, at }] : []),
        ];
      }),
      ...this.execs.questions(),
      ...this.sockets.connections.questions(),
    ];
  }

  /** The desk decided on an exec or a connection. */
  decided(decision: Extract<ToSupervisor, { kind: 'decision' }>): void {
    this.execs.decided(decision);
    this.sockets.connections.decided(decision);
  }

  /** The family ends: nothing starts any more, and what waits is refused. */
  refuseAll(): void {
    this.news.tellAtOnce();
    this.execs.refuseAll();
    this.sockets.connections.refuseAll();
  }

  async stop(): Promise<void> {
    this.stopLateness?.();
    this.watcher.stop();
    this.news.flush();
    await this.sockets.connectors.end();
  }

  /** To the main thread, behind the births and ends before it. */
  private say(message: FromWatch): void {
    this.news.flush();
    this.out.say(message);
  }

  /** While an exec waits its server may answer nothing at all: without a certain one, every request waits with it. */
  private waitingRequests(request: RequestRef | undefined): number[] {
    return request?.attribution === 'certain' ? [request.number] : this.requests.numbers();
  }

  private events(): WatcherEvents {
    const { out } = this;
    return {
      born: (member) => this.born(member),
      held: (exec) => this.execs.judge(exec),
      unjudged: (member, rule, requested) => {
        const text = `Kinwatch refused ${requested === '' ? 'a program' : requested}: ${rule}`;
        out.send({ kind: 'refusal', ...about(member), what: 'exec', rule, text });
        this.denied(member.request, rule, text);
      },
      sockets: this.sockets.socketEvents(),
      callRefused: (member, rule, what) => {
        const text = `Kinwatch refused to let it ${what}: ${rule}`;
        out.send({ kind: 'refusal', ...about(member), what: 'system call', rule, text });
      },
      confirmed: (member, exe, argv, cwd) => {
        this.sockets.confirmed(member);
        this.programs.set(member, { exe, argv: [...argv], cwd });
        this.noteOutside(leftOutside(exe, argv));
        out.send({ kind: 'exec', ...about(member), step: 'confirmed', exe, argv: [...argv], cwd });
      },
      mismatch: (member, expected, found) => {
        const text = `Kinwatch released ${expected} and ${found} started instead`;
        const rule = 'program differs from what was judged';
        out.send({ kind: 'refusal', ...about(member), what: 'exec', rule, text });
        this.say({ kind: 'contain', cause: text });
      },
      gap: (what) => this.gaps.count(what),
      ended: (member) => this.ended(member),
      detached: (member) => {
        const { pid, startedAt, at } = about(member);
        out.send({ kind: 'detached', pid, startedAt, at });
      },
      failed: (error) => out.fail(error),
    };
  }

  /** Work handed to something that is no member, each once: it is named where the end is told. */
  outside(): string[] {
    return [...this.handedOver];
  }

  private noteOutside(text: string | undefined): void {
    if (text === undefined || this.handedOver.has(text)) return;
    if (this.handedOver.size < mostNamed) this.handedOver.add(text);
    else this.handedOver.add('and more of the kind');
  }

  private denied(request: RequestRef | undefined, rule: Rule, text: string): void {
    this.say({ kind: 'denied', ...(request === undefined ? {} : { request }), rule, text });
  }

  private born(member: Member): void {
    if (member.ppid === process.pid) this.root ??= member;
    this.out.send(birthOf(member));
    this.sockets.born(member);
    this.news.birth(member);
  }

  private ended(member: Member): void {
    this.execs.callerEnded(member);
    this.sockets.ended(member);
    this.programs.delete(member);
    const { pid, startedAt, at } = about(member);
    this.out.send({ kind: 'end', pid, startedAt, status: this.reaper.ended(member), at });
    this.news.end(member);
  }
}

function birthOf(member: Member): FromSupervisor {
  const { startTicks, ppid, parent } = member;
  return {
    kind: 'birth',
    ...about(member),
    startTicks,
    ppid,
    ...(parent === undefined ? {} : { parentStartedAt: parent.startedAt }),
  };
}

function about(member: Member): { pid: number; startedAt: string; at: string; request?: RequestRef } {
  return {
    pid: member.pid,
    startedAt: member.startedAt,
    at: new Date().toISOString(),
    ...(member.request === undefined ? {} : { request: member.request }),
  };
}
