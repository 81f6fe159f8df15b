/** One supervised run, from the question whether it may start to the certificate. Runs on the main thread. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Readable, Writable } from 'node:stream';
import { callHoldMs, startHoldMs } from '../core/transition/deadlines.ts';
import type { Places } from '../protocol/places.ts';
import { privateDirectoryFault } from '../watch/privateDirectory.ts';
import { type Attempt, reachDesk } from './deskStart.ts';
import { clientLook } from './client.ts';
import { FamilyRun } from './familyRun.ts';
import { messages } from './messages.ts';
import type { StartPlan } from './plan.ts';
import { type Opener, Relay } from './relay/relay.ts';
import { Signal } from './signal.ts';
import type { Threads } from './threadPair.ts';
import type { FromSpawner, FromWatch } from './threads.ts';

export interface SessionStreams {
  readonly clientIn: Readable | Opener;
  readonly clientOut: Writable;
  readonly log: Writable;
}

/** The client's `initialize` usually comes at once; its name makes the start card say more. */
const claimWaitMs = 250;
/** A client that never sends `initialize` is told nothing; it is not waited for. */
const refuseWaitMs = 1000;
const deskGraceMs = 5000;
const couldNotRun = 3;

export class Session {
  private readonly relay: Relay;
  private readonly claimed = new Signal<{ name: string; version: string } | undefined>();
  private readonly clientGone = new Signal<string>();
  private readonly filtered = new Signal<FromSpawner>();
  private readonly decided = new Signal<{ allow: boolean; text: string }>();
  private attempt = new Signal<Attempt>();
  private run: FamilyRun | undefined;
  private readonly begun: Promise<void>;
  private callHoldMs = 0;
  private deskGrace: NodeJS.Timeout | undefined;

  constructor(
    private readonly plan: StartPlan,
    private readonly shimPid: number,
    private readonly places: Places,
    private readonly streams: SessionStreams,
    private readonly threads: Threads,
  ) {
    this.relay = new Relay({
      clientIn: streams.clientIn,
      clientOut: streams.clientOut,
      events: {
        request: (request) => this.run?.request(request),
        result: (number, outcome) => this.run?.result(number, outcome),
        claims: (name, version) => this.claimed.give({ name, version }),
        initialized: () => this.run?.initialized(),
        clientEnded: () => this.clientGone.give(messages.clientClosed),
        fault: (text) => this.log(text),
      },
    });
    this.begun = threads.begin(
      {
        watch: (message) => this.fromWatch(message),
        spawner: (message) => this.fromSpawner(message),
        died: (role, error) => this.failed(`${role} thread: ${String(error)}`),
      },
      plan.localOnly,
    );
  }

  /** The client, or a signal, asks for the end. A second time hurries it. */
  stop(cause: string): void {
    if (this.clientGone.given) this.run?.hurry();
    this.clientGone.give(cause);
  }

  /** @returns the exit code for the client. */
  async supervise(): Promise<number> {
    const { threads } = this;
    await this.begun;
    const filter = await this.filtered.wait();
    if (filter.kind !== 'filtered') {
      return this.refuse(threads, messages.unable(filter.kind === 'unable' ? filter.reason : filter.kind));
    }
    const fault = this.placesFault();
    if (fault !== undefined) return this.refuse(threads, fault);
    const attempt = await reachDesk(this.places.socket, this.shimPid, () => this.connect(threads));
    if (attempt.kind === 'none') return this.refuse(threads, messages.noDesk(this.places, attempt.reason));
    if (attempt.kind === 'refused') return this.refuse(threads, attempt.text);
    const decision = await this.ask(threads);
    if (!decision.allow) return this.refuse(threads, decision.text);
    const { listenerFd, domain } = filter;
    const { config, state, runtime } = this.places;
    const terms = { listenerFd, domain, callHoldMs: this.callHoldMs, kinwatch: [config, state, runtime] };
    this.run = new FamilyRun(threads, this.relay, this.plan, terms, this.streams.log);
    void this.clientGone.wait().then((cause) => this.run?.end('orderly', cause));
    return this.run.finished();
  }

  /** Before anything is said to whoever listens there. */
  private placesFault(): string | undefined {
    const uid = process.getuid?.() ?? -1;
    const { state, runtime } = this.places;
    const fault = privateDirectoryFault(state, uid) ?? privateDirectoryFault(runtime, uid);
    return fault === undefined ? undefined : messages.unsafePlace(fault);
  }

  private connect(threads: Threads): Promise<Attempt> {
    this.attempt = new Signal();
    threads.toWatch({ kind: 'connect', socketPath: this.places.socket });
    return this.attempt.wait();
  }

  private async ask(threads: Threads): Promise<{ allow: boolean; text: string }> {
    const claims = await Promise.race([this.claimed.wait(), delay(claimWaitMs, undefined, { ref: false })]);
    const client = { ...this.plan.facts.client, ...(claims === undefined ? {} : { claims }) };
    const look = clientLook(client);
    this.callHoldMs = callHoldMs(look);
    // The client's patience began when it launched us.
    const leftMs = Math.max(0, startHoldMs(look) - process.uptime() * 1000);
    const heldUntil = new Date(Date.now() + leftMs).toISOString();
    threads.toWatch({ kind: 'open', facts: { ...this.plan.facts, client }, heldUntil });
    // While the start waits the client's pings are answered.
    const release = this.relay.hold([]);
    const decision = await Promise.race([
      this.decided.wait(),
      this.clientGone.wait().then((cause) => ({ allow: false, text: cause })),
    ]);
    release();
    return decision;
  }

  /** Nothing was launched: says why, to the client and in its log. */
  private async refuse(threads: Threads, text: string): Promise<number> {
    this.log(text);
    await Promise.race([
      this.relay.refuse(text),
      this.clientGone.wait(),
      delay(refuseWaitMs, undefined, { ref: false }),
    ]);
    await threads.endSpawner();
    await threads.endWatch();
    return couldNotRun;
  }

  private fromSpawner(message: FromSpawner): void {
    if (message.kind === 'filtered' || message.kind === 'unable') this.filtered.give(message);
    else this.run?.fromSpawner(message);
  }

  private fromWatch(message: FromWatch): void {
    switch (message.kind) {
      case 'connected':
        this.attempt.give({ kind: 'connected' });
        return;
      case 'no desk':
        this.attempt.give({ kind: 'none', reason: message.reason });
        return;
      case 'not a desk':
        this.attempt.give({
          kind: 'refused',
          text: messages.notADesk(this.places, message.reason),
        });
        return;
      case 'desk refused':
        this.attempt.give({ kind: 'refused', text: messages.deskRefused(message.reason) });
        this.decided.give({ allow: false, text: messages.deskRefused(message.reason) });
        return;
      case 'desk lost':
        this.deskLost();
        return;
      case 'opened':
        clearTimeout(this.deskGrace);
        this.deskGrace = undefined;
        return;
      case 'start decided':
        this.decided.give({ allow: message.allow, text: message.text });
        return;
      case 'failed':
        this.failed(message.reason);
        return;
      default:
        this.run?.fromWatch(message);
    }
  }

  private deskLost(): void {
    const lost = 'the desk closed the connection';
    this.decided.give({ allow: false, text: messages.noDesk(this.places, lost) });
    if (this.run === undefined) return;
    // Counted from the first loss: a desk that keeps dying is no desk.
    this.deskGrace ??= setTimeout(() => this.run?.end('contain', messages.deskLost), deskGraceMs);
    void reachDesk(this.places.socket, this.shimPid, () => this.connect(this.threads));
  }

  private failed(reason: string): void {
    this.log(messages.watchFailed(reason));
    this.run?.end('contain', messages.watchFailed(reason.split('\n')[0] ?? ''));
    this.filtered.give({ kind: 'unable', reason });
  }

  private log(text: string): void {
    this.streams.log.write(`${messages.prefix}${text}\n`);
  }
}
