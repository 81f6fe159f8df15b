/**
 * The watch thread's way to the desk over one or more connections: greets, keeps order, and after a lost desk takes
 * the session up again with the next one. What must reach the desk waits meanwhile; nothing is released by it.
 */
import type { StartFacts } from '../core/facts.ts';
import type { FromSupervisor } from '../protocol/supervisor.ts';
import type { ToSupervisor } from '../protocol/toSupervisor.ts';
import { heartbeatMs, protocolVersion } from '../protocol/wire.ts';
import { DeskLink } from './deskLink.ts';
import type { FromWatch } from './threads.ts';

/** From the connection to the welcome. The desk answers at once; something else may never. */
const welcomeMs = 5000;
/** Messages kept for a lost desk. More in five seconds is a flood, and ends the family. */
const mostWaiting = 10_000;

export interface DeskChannelEvents {
  say(message: FromWatch): void;
  message(message: ToSupervisor): void;
  /** What a new desk must know of the running family, in order. Undefined while nothing runs. */
  standing(): readonly FromSupervisor[] | undefined;
  /** Another desk has taken the session up: all that waited is on its way to it. */
  resumed(): void;
  /** Too much waits. */
  overflow(): void;
}

interface Waiting {
  readonly message: FromSupervisor;
  readonly handed: (() => void) | undefined;
}

/** Told again as the standing of the family, so not kept for a lost desk. */
const standingKinds: ReadonlySet<FromSupervisor['kind']> = new Set([
  'birth',
  'detached',
  'ask',
  'withdraw',
  'running',
]);

export class DeskChannel {
  session = '';
  private link: DeskLink | undefined;
  private opening: { readonly facts: StartFacts; readonly heldUntil: string } | undefined;
  private waiting: Waiting[] = [];
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(private readonly events: DeskChannelEvents) {}

  /** Invariant: in order, and `handed` only once the desk's side of the socket has it. */
  send(message: FromSupervisor, handed?: () => void): void {
    if (message.kind === 'running') this.beat();
    if (message.kind === 'ended') clearInterval(this.heartbeat);
    if (this.link !== undefined) {
      this.link.send(message, handed);
      return;
    }
    if (handed === undefined && standingKinds.has(message.kind)) return;
    this.waiting.push({ message, handed });
    if (this.waiting.length === mostWaiting) this.events.overflow();
  }

  open(facts: StartFacts, heldUntil: string): void {
    this.opening = { facts, heldUntil };
    this.link?.send({ kind: 'open', facts, heldUntil });
  }

  /** On this thread, so that a watch that stands still is heard to. Nothing is kept for a lost desk: it is silent. */
  private beat(): void {
    this.heartbeat ??= setInterval(() => this.link?.send({ kind: 'heartbeat' }), heartbeatMs).unref();
  }

  async end(): Promise<void> {
    clearInterval(this.heartbeat);
    await this.link?.end();
  }

  connect(socketPath: string): void {
    let state: 'connecting' | 'welcomed' | 'over' = 'connecting';
    const resumed = this.events.standing() === undefined ? undefined : this.session;
    const over = (message: FromWatch): void => {
      state = 'over';
      clearTimeout(late);
      this.events.say(message);
    };
    const notADesk = (reason: string): void => {
      over({ kind: 'not a desk', reason });
      link.abandon(reason);
    };
    const late = setTimeout(() => notADesk(`no welcome within ${welcomeMs / 1000} s`), welcomeMs);
    const hello = { kind: 'hello', role: 'supervisor', protocol: protocolVersion } as const;
    const link = new DeskLink(socketPath, {
      connected: () => link.send(resumed === undefined ? hello : { ...hello, session: resumed }),
      message: (message) => {
        if (state === 'welcomed') return this.take(message, link);
        if (message.kind === 'refused') {
          over({ kind: 'desk refused', reason: message.reason });
          // Not left to the other end: an open connection would keep this thread from ending.
          return link.abandon('refused');
        }
        if (message.kind !== 'welcome') return notADesk(`${message.kind} before the welcome`);
        if (message.protocol !== protocolVersion)
          return notADesk(`it speaks protocol ${message.protocol}, this is ${protocolVersion}`);
        state = 'welcomed';
        clearTimeout(late);
        // A family taken up again sends its standing first, once the desk has opened the session.
        if (resumed === undefined) this.link = link;
        else if (this.opening !== undefined) link.send({ kind: 'open', ...this.opening });
        return this.events.say({ kind: 'connected' });
      },
      lost: (reason, code, misunderstood) => {
        if (this.link === link) this.link = undefined;
        if (state === 'welcomed') over({ kind: 'desk lost' });
        else if (state === 'connecting')
          over({ kind: misunderstood ? 'not a desk' : 'no desk', reason: code ?? reason });
      },
    });
  }

  private take(message: ToSupervisor, link: DeskLink): void {
    if (message.kind === 'opened') {
      this.session = message.session;
      if (this.link !== link) this.resume(link);
    }
    this.events.message(message);
  }

  private resume(link: DeskLink): void {
    for (const message of this.events.standing() ?? []) link.send(message);
    const { waiting } = this;
    this.waiting = [];
    this.link = link;
    for (const { message, handed } of waiting) link.send(message, handed);
    this.events.resumed();
  }
}
