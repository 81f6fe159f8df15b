/**
 * The watch thread: the held watch, the judgement and the connection to the desk in one place, so that what is
 * told to the desk and what is released have one order.
 */
import { createHash } from 'node:crypto';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { attribute, type OpenRequest } from '../core/family/attribution.ts';
import type { RequestRef } from '../core/facts.ts';
import { signalName } from '../kernel/numbers.ts';
import { reapChild } from '../kernel/process.ts';
import { protocolVersion } from '../protocol/desk.ts';
import type { FromSupervisor, ToSupervisor } from '../protocol/supervisor.ts';
import type { Member } from '../watch/seccomp/members.ts';
import { Watcher } from '../watch/seccomp/watcher.ts';
import { DeskLink } from './deskLink.ts';
import { Execs, startupMs } from './execs.ts';
import type { FromWatch, ListenPlan, ToWatch } from './threads.ts';

const shownArgumentLength = 64 * 1024;

export function runWatch(port: MessagePort): void {
  const thread = new WatchThread(port);
  port.on('message', (message: ToWatch) => thread.handle(message));
}

class WatchThread {
  private link: DeskLink | undefined;
  private watcher: Watcher | undefined;
  private execs: Execs | undefined;
  private session = '';
  private readonly open = new Map<number, OpenRequest & { readonly argumentsJson: string }>();
  /** Ended members that were not reaped: their parent may still collect them. */
  private readonly zombies = new Set<Member>();
  private rootPid: number | undefined;

  constructor(private readonly port: MessagePort) {}

  private say(message: FromWatch): void {
    this.port.postMessage(message);
  }

  private send(message: FromSupervisor, handed?: () => void): void {
    this.link?.send(message, handed);
  }

  private fail(error: unknown): void {
    this.say({ kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }

  handle(message: ToWatch): void {
    switch (message.kind) {
      case 'connect':
        this.connect(message.socketPath);
        return;
      case 'open':
        this.send({ kind: 'open', facts: message.facts, heldUntil: message.heldUntil });
        return;
      case 'listen':
        this.listen(message.plan);
        return;
      case 'request':
        this.request(message);
        return;
      case 'result': {
        this.open.delete(message.number);
        this.send({ kind: 'result', number: message.number, outcome: message.outcome, at: now() });
        return;
      }
      case 'initialized':
        this.execs?.startupOver();
        return;
      case 'withdrawStart':
        this.send({ kind: 'withdraw', ref: 'start', reason: message.reason });
        return;
      case 'refuseAll':
        this.send({ kind: 'ending', cause: message.cause });
        this.execs?.refuseAll();
        return;
      case 'frozen':
        this.send({
          kind: 'frozen',
          cause: message.cause,
          members: message.members.map((member) => ({ ...member, argv: [...member.argv] })),
        });
        return;
      case 'stopped':
        this.send({ kind: 'stopped', pid: message.pid, startedAt: message.startedAt, outcome: message.outcome });
        return;
      case 'ended':
        this.send({
          kind: 'ended',
          cause: message.cause,
          certificate: { ...message.certificate, session: this.session },
        });
        return;
      case 'close':
        void this.close();
    }
  }

  private async close(): Promise<void> {
    this.watcher?.stop();
    await this.link?.end();
    this.say({ kind: 'closed' });
    this.port.close();
  }

  private connect(socketPath: string): void {
    let connected = false;
    const link = new DeskLink(socketPath, {
      connected: () => {
        connected = true;
        link.send({ kind: 'hello', role: 'supervisor', protocol: protocolVersion });
      },
      message: (message) => this.fromDesk(message),
      lost: (reason, code) => {
        this.link = undefined;
        if (connected) this.say({ kind: 'desk lost' });
        else this.say({ kind: 'no desk', reason: code ?? reason });
      },
    });
    this.link = link;
  }

  private fromDesk(message: ToSupervisor): void {
    switch (message.kind) {
      case 'welcome':
        this.say({ kind: 'connected' });
        return;
      case 'refused':
        this.say({ kind: 'desk refused', reason: message.reason });
        return;
      case 'opened':
        this.session = message.session;
        this.say({ kind: 'opened', session: message.session });
        return;
      case 'decision':
        if (message.ref === 'start') this.say({ kind: 'start decided', allow: message.allow, text: message.text });
        else this.execs?.decided(message);
        return;
      case 'contain':
        this.say({ kind: 'contain', cause: message.by });
        return;
      case 'stopProcess':
        this.say({ kind: 'stopProcess', pid: message.pid, startedAt: message.startedAt });
        return;
      case 'evidence': {
        const { folder, manifest, gaps, evidenceMs } = message;
        this.say({ kind: 'evidence', folder, manifest, gaps, evidenceMs });
      }
    }
  }

  private request(message: Extract<ToWatch, { kind: 'request' }>): void {
    const { number, method, tool, argumentsJson } = message;
    const shown = bounded(argumentsJson);
    this.open.set(number, { number, method, ...(tool === undefined ? {} : { tool }), argumentsJson: shown });
    if (method === 'tools/call') this.execs?.requestArrived();
    const request: RequestRef = { number, method, ...(tool === undefined ? {} : { tool }), attribution: 'certain' };
    this.send({ kind: 'request', request, arguments: shown, at: now() });
  }

  private listen(plan: ListenPlan): void {
    const watcher = new Watcher(
      plan.listenerFd,
      {
        born: (member) => this.born(member),
        held: (exec) => this.execs?.judge(exec),
        unjudged: (member, rule, requested) => {
          const text = `Kinwatch refused ${requested === '' ? 'a program' : requested}: ${rule}`;
          this.send({ kind: 'refusal', ...identity(member), rule, text, ...requestOf(member), at: now() });
          this.denied(member.request, rule, text);
        },
        confirmed: (member, exe, argv, cwd) =>
          this.send({
            kind: 'exec',
            ...identity(member),
            step: 'confirmed',
            exe,
            argv: [...argv],
            cwd,
            ...requestOf(member),
            at: now(),
          }),
        mismatch: (member, expected, found) => {
          const text = `Kinwatch released ${expected} and ${found} started instead`;
          const rule = 'program differs from what was judged';
          this.send({ kind: 'refusal', ...identity(member), rule, text, ...requestOf(member), at: now() });
          this.say({ kind: 'contain', cause: text });
        },
        ended: (member) => this.ended(member),
        detached: (member) => this.send({ kind: 'detached', ...identity(member), at: now() }),
        failed: (error) => this.fail(error),
      },
      (parent) => attribute(parent?.request, openToolCalls(this.open.values())),
      () => this.takeNews(),
    );
    this.watcher = watcher;
    watcher.expectRoot(plan.first, plan.argv);
    const execs = new Execs(
      watcher,
      plan.program,
      { user: plan.user, callHoldMs: plan.callHoldMs, argumentsOf: (number) => this.open.get(number)?.argumentsJson },
      {
        send: (message, handed) => this.send(message, handed),
        waiting: (ref, request) => {
          // While an exec waits, its server may answer nothing at all: every request in flight waits with it.
          const requests = request?.attribution === 'certain' ? [request.number] : [...this.open.keys()];
          this.say({ kind: 'held', ref, requests });
        },
        settled: (ref) => this.say({ kind: 'settled', ref }),
        denied: (request, rule, text) => this.denied(request, rule, text),
        failed: (error) => this.fail(error),
      },
    );
    this.execs = execs;
    void execs.approveStart([plan.first, plan.program]).then(() => {
      watcher.start();
      setTimeout(() => execs.startupOver(), startupMs).unref();
      this.send({ kind: 'running', coverage: { level: 'held', text: plan.coverageText, gaps: {} } });
      this.say({ kind: 'listening' });
    });
  }

  private denied(request: RequestRef | undefined, rule: Parameters<Execs['decided']>[0]['rule'], text: string): void {
    if (rule === undefined) return;
    this.say({ kind: 'denied', ...(request === undefined ? {} : { request }), rule, text });
  }

  /** Requests sent to the server must be known before its calls are judged, whatever the event loop's order. */
  private takeNews(): void {
    for (let news = receiveMessageOnPort(this.port); news !== undefined; news = receiveMessageOnPort(this.port)) {
      this.handle(news.message as ToWatch);
    }
  }

  private born(member: Member): void {
    if (member.ppid === process.pid && member.parent === undefined) this.rootPid ??= member.pid;
    this.send({
      kind: 'birth',
      ...identity(member),
      startTicks: member.startTicks,
      ppid: member.ppid,
      ...(member.parent === undefined ? {} : { parentStartedAt: member.parent.startedAt }),
      ...requestOf(member),
      at: now(),
    });
    this.say({ kind: 'born', pid: member.pid, startTicks: member.startTicks, startedAt: member.startedAt });
  }

  private ended(member: Member): void {
    this.execs?.callerEnded(member.pid);
    this.send({ kind: 'end', ...identity(member), status: this.statusOf(member), at: now() });
    this.say({ kind: 'gone', pid: member.pid, startTicks: member.startTicks });
    for (const zombie of this.zombies) if (reapChild(zombie.pid) !== undefined) this.zombies.delete(zombie);
  }

  private statusOf(member: Member): string {
    // The server itself belongs to Node's own spawn, which collects it.
    const reaped = member.pid === this.rootPid ? undefined : reapChild(member.pid);
    if (reaped === undefined && member.pid !== this.rootPid) this.zombies.add(member);
    if (reaped?.kind === 'signal') return `signal ${signalName(reaped.signal)}`;
    if (reaped?.kind === 'exit') return `exit ${reaped.code}`;
    return member.exitCode === undefined ? 'unknown' : `exit ${member.exitCode}`;
  }
}

function identity(member: Member): { pid: number; startedAt: string } {
  return { pid: member.pid, startedAt: member.startedAt };
}

function requestOf(member: Member): { request?: RequestRef } {
  return member.request === undefined ? {} : { request: member.request };
}

/** Only calls of tools start work; a `tools/list` in flight beside one does not make its attribution doubtful. */
function openToolCalls(open: Iterable<OpenRequest>): OpenRequest[] {
  return [...open].filter(({ method }) => method === 'tools/call').map(({ number, method, tool }) => ({ number, method, ...(tool === undefined ? {} : { tool }) }));
}

/** Arguments are as long as a frame may be; the desk's lines are shorter. What is left out is counted and digested. */
function bounded(text: string): string {
  if (text.length <= shownArgumentLength) return text;
  const digest = createHash('sha256').update(text).digest('hex');
  return `${text.slice(0, shownArgumentLength)} [${text.length - shownArgumentLength} more characters; sha256 of the whole ${digest}]`;
}

function now(): string {
  return new Date().toISOString();
}
