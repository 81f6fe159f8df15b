/** Socket calls that wait for an answer, and those being performed: each is answered once and its descriptors closed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint, SocketAction, Transport } from '../../core/facts.ts';
import type { Rule } from '../../core/transition/rules.ts';
import type { Answer, Listener, Notification } from '../../kernel/listener.ts';
import { errnos } from '../../kernel/numbers.ts';
import { shutDown, tcpOutcome } from '../../kernel/sockets.ts';
import type { Destination } from './destination.ts';
import type { Member } from './members.ts';
import type { MemberSocket } from './memberSocket.ts';

/** Calls held or performed at once: each keeps a descriptor or two of this process. */
const mostAtOnce = 256;

/** Looks at a connect in the background, from the answer on. Each keeps the duplicate open that much longer at most. */
const looksMs = [10, 50, 200, 1000, 3000, 10_000];

export interface HeldSocket {
  readonly id: bigint;
  readonly member: Member;
  readonly action: SocketAction;
  readonly transport: Transport;
  readonly endpoint: Endpoint;
  /** The network namespace of the member's socket. */
  readonly network: bigint | undefined;
}

type Perform = () => Answer | Promise<Answer>;

interface Entry {
  readonly held: HeldSocket;
  readonly socket: MemberSocket;
  readonly perform: Perform;
  readonly close: () => void;
  /** `performed`: its caller has the answer; only what becomes of it is still followed. */
  state: 'held' | 'running' | 'performed';
}

export interface SocketEvents {
  /** It waits for release or refuse of `sockets.ts`. */
  held(call: HeldSocket): void;
  /** A released call was performed, or failed as calls do. */
  done(call: HeldSocket, answer: Answer): void;
  /**
   * A unix connection was made on the file that was judged; the socket behind it was bound to that path, and that
   * process made it listen. False: it may not be reached, and is undone before the caller learns of it.
   */
  mayReach(call: HeldSocket, boundPath: string, listenerPid: number): boolean;
  /** Refused without a question. */
  refused(member: Member, rule: Rule, what: string): void;
  /** Refused and told; no call's result is marked for it. */
  unneeded(member: Member, rule: Rule, what: string): void;
  /** A member's socket listens, or a datagram socket of its is bound: whoever reaches it stays in the family. */
  serves(socket: Pick<MemberSocket, 'inode' | 'network'>): void;
  /** Counted, not told one by one. */
  gap(what: string): void;
  failed(error: unknown): void;
}

export class HeldSockets {
  private readonly entries = new Map<bigint, Entry>();

  constructor(
    private readonly listener: Listener,
    private readonly events: Pick<SocketEvents, 'done' | 'failed'>,
  ) {}

  /** Callers may have gone without their process: a thread was killed, or replaced by another's exec. */
  isFull(): boolean {
    if (this.entries.size < mostAtOnce) return false;
    for (const entry of this.entries.values()) {
      const isGone = entry.state === 'held' && !this.listener.isValid(entry.held.id);
      if (isGone || entry.state === 'performed') this.drop(entry);
    }
    return this.entries.size >= mostAtOnce;
  }

  hold(
    { id }: Notification,
    member: Member,
    socket: MemberSocket,
    action: SocketAction,
    destination: Destination,
    perform: Perform,
  ): HeldSocket {
    const { endpoint, transport } = destination;
    const held: HeldSocket = { id, member, action, transport, endpoint, network: socket.network };
    const close = (): void => {
      socket.close();
      destination.close();
    };
    this.entries.set(id, { held, socket, perform, close, state: 'held' });
    return held;
  }

  /** Nothing to judge. */
  now(id: bigint, socket: MemberSocket, perform: Perform): void {
    this.settle(id, perform)
      .catch((error: unknown) => this.events.failed(error))
      .finally(() => socket.close());
  }

  release(held: HeldSocket): void {
    const entry = this.entries.get(held.id);
    if (entry?.state !== 'held') return;
    entry.state = 'running';
    this.perform(entry).catch((error: unknown) => this.events.failed(error));
  }

  private async perform(entry: Entry): Promise<void> {
    const { held } = entry;
    const answer = await this.settle(held.id, entry.perform);
    entry.state = 'performed';
    const goesOn = answer.kind === 'errno' && answer.errno === errnos.EINPROGRESS && held.transport === 'tcp';
    const outcome = goesOn ? await this.outcomeOf(entry) : answer;
    this.drop(entry);
    if (outcome !== undefined) this.events.done(held, outcome);
  }

  /** True while nobody has answered it and its caller lives. */
  isHeld(held: HeldSocket): boolean {
    return this.entries.get(held.id)?.held === held;
  }

  /** Undefined: it still goes on after the last look, or nobody follows it any more. */
  private async outcomeOf(entry: Entry): Promise<Answer | undefined> {
    let waited = 0;
    for (const at of looksMs) {
      await delay(at - waited, undefined, { ref: false });
      waited = at;
      // Its descriptor may be closed by now, and the number another's.
      if (this.entries.get(entry.held.id) !== entry) return undefined;
      const outcome = tcpOutcome(entry.socket.fd);
      if (outcome === 'connected') return { kind: 'value', value: 0 };
      if (outcome === 'failed') return { kind: 'errno', errno: errnos.ECONNREFUSED };
    }
    return undefined;
  }

  refuse(held: HeldSocket, errno: number): void {
    const entry = this.entries.get(held.id);
    if (entry?.state !== 'held') return;
    this.listener.answer(held.id, { kind: 'errno', errno });
    this.drop(entry);
  }

  ended(member: Member): void {
    for (const entry of this.entries.values()) {
      if (entry.held.member !== member) continue;
      this.giveUp(entry);
    }
  }

  /** Before the thread ends. */
  close(): void {
    for (const entry of this.entries.values()) this.giveUp(entry);
  }

  private giveUp(entry: Entry): void {
    // A thread of ours waits in it, where the caller's own end would have ended the call.
    if (entry.state === 'running') shutDown(entry.socket.fd);
    else this.drop(entry);
  }

  private async settle(id: bigint, perform: Perform): Promise<Answer> {
    let answer: Answer;
    try {
      answer = await perform();
    } catch (error) {
      this.events.failed(error);
      answer = { kind: 'errno', errno: errnos.EACCES };
    }
    this.listener.answer(id, answer);
    return answer;
  }

  private drop(entry: Entry): void {
    this.entries.delete(entry.held.id);
    entry.close();
  }
}
