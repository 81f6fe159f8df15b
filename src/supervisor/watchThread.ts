/**
 * The watch thread: the held watch, the judgement and the connection to the desk in one place, so that what is
 * told to the desk and what is released have one order.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { ToSupervisor } from '../protocol/toSupervisor.ts';
import { DeskChannel } from './deskChannel.ts';
import { FamilyWatch } from './familyWatch.ts';
import { OpenRequests } from './openRequests.ts';
import type { FromWatch, ListenPlan, ToWatch } from './threads.ts';

/** @param news where requests and results are posted, which wakes nobody. */
export function runWatch(port: MessagePort, news: MessagePort): void {
  const thread = new WatchThread(port, news);
  port.on('message', (message: ToWatch) => {
    thread.takeNews();
    thread.handle(message);
  });
}

class WatchThread {
  private readonly desk = new DeskChannel({
    say: (message) => this.say(message),
    message: (message) => this.fromDesk(message),
    standing: () => this.family?.standing(),
    resumed: () => this.family?.gaps.count('times the desk was away'),
    overflow: () => this.fail('the desk was away while too much happened'),
  });
  private family: FamilyWatch | undefined;
  private readonly requests = new OpenRequests();

  constructor(
    private readonly port: MessagePort,
    private readonly news: MessagePort,
  ) {}

  private say(message: FromWatch): void {
    this.port.postMessage(message);
  }

  private send(message: FromSupervisor, handed?: () => void): void {
    this.desk.send(message, handed);
  }

  private fail(error: unknown): void {
    this.say({
      kind: 'failed',
      reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }

  handle(message: ToWatch): void {
    switch (message.kind) {
      case 'connect':
        this.desk.connect(message.socketPath);
        return;
      case 'open':
        this.desk.open(message.facts, message.heldUntil);
        return;
      case 'listen':
        this.listen(message.plan).catch((error: unknown) => this.fail(error));
        return;
      case 'request':
        this.request(message);
        return;
      case 'result': {
        this.requests.remove(message.number);
        this.send({ kind: 'result', number: message.number, outcome: message.outcome, at: now() });
        return;
      }
      case 'news':
        return; // read already
      case 'initialized':
        this.family?.execs.startupOver();
        return;
      case 'withdrawStart':
        this.send({ kind: 'withdraw', ref: 'start', reason: message.reason });
        return;
      case 'refuseAll':
        this.send({ kind: 'ending', cause: message.cause });
        this.family?.refuseAll();
        return;
      case 'frozen':
        this.send({
          kind: 'frozen',
          cause: message.cause,
          members: message.members.map((member) => ({ ...member, argv: [...member.argv] })),
        });
        return;
      case 'stopped':
        this.send({
          kind: 'stopped',
          pid: message.pid,
          startedAt: message.startedAt,
          outcome: message.outcome,
        });
        return;
      case 'ended':
        this.send({
          kind: 'ended',
          cause: message.cause,
          certificate: {
            ...message.certificate,
            outside: [...message.certificate.outside, ...(this.family?.outside() ?? [])],
            session: this.desk.session,
          },
        });
        return;
      case 'close':
        void this.close();
    }
  }

  private async close(): Promise<void> {
    await this.family?.stop();
    await this.desk.end();
    this.say({ kind: 'closed' });
    this.port.close();
  }

  private fromDesk(message: ToSupervisor): void {
    switch (message.kind) {
      case 'welcome':
        return; // a second one says nothing
      case 'refused':
        this.say({ kind: 'desk refused', reason: message.reason });
        return;
      case 'opened':
        this.say({ kind: 'opened', session: message.session });
        return;
      case 'decision':
        if (message.ref === 'start')
          this.say({ kind: 'start decided', allow: message.allow, text: message.text });
        else this.family?.decided(message);
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

  private request({ number, method, tool, argumentsJson }: Extract<ToWatch, { kind: 'request' }>): void {
    const request = { number, method, ...(tool === undefined ? {} : { tool }) };
    const shown = this.requests.add(request, argumentsJson);
    if (method === 'tools/call') this.family?.execs.requestArrived();
    this.send({
      kind: 'request',
      request: { ...request, attribution: 'certain' },
      arguments: shown,
      at: now(),
    });
  }

  private async listen(plan: ListenPlan): Promise<void> {
    this.family = new FamilyWatch(plan, this.requests, {
      send: (message, handed) => this.send(message, handed),
      say: (message) => this.say(message),
      fail: (error) => this.fail(error),
      takeNews: () => {
        this.takeNews();
        this.takeOrders();
      },
    });
    await this.family.start();
    this.say({ kind: 'listening' });
  }

  /** What was posted beside the port until now. */
  takeNews(): void {
    this.drain(this.news);
  }

  private takeOrders(): void {
    this.drain(this.port);
  }

  private drain(port: MessagePort): void {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      this.handle(next.message as ToWatch);
    }
  }
}

function now(): string {
  return new Date().toISOString();
}
