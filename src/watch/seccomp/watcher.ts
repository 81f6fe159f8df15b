/**
 * The held watch: every exec of a family waits here until it is answered; births, confirmed programs and ends
 * are told as they happen. Runs on a thread of its own, so that a flood cannot stop the relay.
 */
import type { Argument, RequestRef } from '../../core/facts.ts';
import { Listener, type Notification } from '../../kernel/listener.ts';
import { TargetMemory } from '../../kernel/memory.ts';
import { auditArchitecture, errnos, syscalls } from '../../kernel/numbers.ts';
import { lookAtProgram, type ProgramLook } from '../program.ts';
import { SeenFiles, SystemFiles } from '../seenFiles.ts';
import { errnoFor, type ExecCall, isMemoryOnly, readArguments, readExecPath } from './capture.ts';
import { type Expectation, readStarted } from './confirm.ts';
import type { Performer } from './datagrams.ts';
import type { SocketEvents } from './heldSockets.ts';
import { type Member, Members } from './members.ts';
import { type RefusedCall, RefusedCalls } from './refusedCalls.ts';
import { SocketCalls } from './sockets.ts';
import { Unconfirmed } from './unconfirmed.ts';

/** One drain of the listener yields to the event loop after this long. */
const drainMs = 5;
/**
 * How long a drain waits for the next call after one it answered. A program makes its calls right one after the
 * other: this thread sleeps in the kernel meanwhile, and wakes without a turn of the event loop.
 */
const patienceUs = 500;

/** An exec that waits. It is answered once, by {@link Watcher.release} or {@link Watcher.refuse}. */
export interface HeldExec {
  readonly id: bigint;
  readonly member: Member;
  readonly call: ExecCall;
  readonly argv: readonly Argument[];
  /** Its variables that make it load or run other code, as `NAME=value`. */
  readonly environment: readonly Argument[];
  readonly look: ProgramLook;
}

export type Unjudgeable =
  | 'arguments unreadable'
  | 'arguments too large'
  | 'memory-only or deleted file'
  | 'program unreadable';

export interface WatcherEvents {
  readonly sockets: SocketEvents;
  /** A call of no exec and no socket was refused without a question. */
  callRefused(member: Member, rule: RefusedCall, what: string): void;
  born(member: Member): void;
  /** The program exists and was read; it waits. */
  held(exec: HeldExec): void;
  /** It was refused because it could not be judged. */
  unjudged(member: Member, rule: Unjudgeable, requested: string): void;
  /** A program really started: what `/proc` says before its `main`. */
  confirmed(member: Member, exe: string, argv: readonly Argument[], cwd: string): void;
  /** Another program started than the one that was released. It has been told, not ended: the listener ends it. */
  mismatch(member: Member, expected: string, found: string): void;
  /** A number of the session's coverage goes up by one. */
  gap(what: string): void;
  ended(member: Member): void;
  detached(member: Member): void;
  failed(error: unknown): void;
}

export class Watcher {
  readonly members: Members;
  readonly sockets: SocketCalls;
  private readonly refused: RefusedCalls;
  private readonly memory = new TargetMemory();
  private readonly unconfirmed: Unconfirmed;
  private readonly listener: Listener;
  private readonly systemFiles = new SystemFiles();
  /** The server itself: its first exec was judged before it was launched, and its memory is the supervisor's copy. */
  private root: Expectation | undefined;

  constructor(
    listenerFd: number,
    private readonly events: WatcherEvents,
    requestOf: (parent: Member | undefined) => RequestRef | undefined,
    /** Runs before each drain: news of requests must be known before a call is judged. */
    private readonly beforeDrain: () => void,
    performer: Performer,
    localOnly: boolean,
  ) {
    this.listener = new Listener(listenerFd);
    this.sockets = new SocketCalls(this.listener, this.memory, performer, events.sockets, localOnly);
    this.members = new Members(
      {
        born: (member) => events.born(member),
        ended: (member) => {
          this.unconfirmed.ended(member);
          this.sockets.ended(member);
          events.ended(member);
        },
        detached: (member) => events.detached(member),
      },
      requestOf,
    );
    this.unconfirmed = new Unconfirmed({
      confirmed: (member, { exe, argv, cwd }) => events.confirmed(member, exe, argv, cwd),
      mismatch: (member, expected, found) => events.mismatch(member, expected, found),
      gap: (what) => events.gap(what),
    });
    this.refused = new RefusedCalls(this.listener, this.members, (member, rule, what) =>
      events.callRefused(member, rule, what),
    );
  }

  /** Before the spawn: what the first program under the filter is going to be. */
  expectRoot(expectation: Expectation): void {
    this.root = expectation;
  }

  start(): void {
    const failed = (error: unknown): void => this.events.failed(error);
    this.members.watchEnds(failed);
    this.listener.watch(() => this.drain(), failed);
  }

  release(exec: HeldExec): boolean {
    const { member, look, argv, environment, call } = exec;
    this.unconfirmed.released(member, { look, argv, environment, requested: call.scriptName });
    return this.listener.answer(exec.id, { kind: 'continue' });
  }

  refuse(exec: HeldExec): boolean {
    return this.listener.answer(exec.id, { kind: 'errno', errno: errnos.EACCES });
  }

  /** Before the thread ends. The descriptor stays open: the proof of emptiness is taken from it. */
  stop(): void {
    this.listener.unwatch();
    this.unconfirmed.close();
    this.sockets.close();
    this.members.close();
  }

  private drain(): void {
    this.beforeDrain();
    const until = performance.now() + drainMs;
    for (let waitUs = 0; performance.now() < until;) {
      const found = this.listener.next(this.members.endsFd, waitUs);
      if (found === 'nothing') return;
      if (found === 'other') {
        this.members.collectEnds();
        continue;
      }
      const notification = this.listener.receive();
      if (notification === undefined) continue;
      try {
        this.handle(notification);
        this.members.tell();
      } catch (error) {
        // Every doubt ends closed: a call that could not be judged is refused.
        this.listener.answer(notification.id, { kind: 'errno', errno: errnos.EACCES });
        this.events.failed(error);
      }
      waitUs = patienceUs;
    }
  }

  /** Invariant: a birth is told right behind the answer to its call, and before anything else of that member. */
  private handle(notification: Notification): void {
    const call = syscalls();
    const member = this.members.of(notification.tid, () => this.listener.isValid(notification.id));
    if (member === undefined) {
      this.listener.answer(notification.id, { kind: 'errno', errno: errnos.EACCES });
      return;
    }
    if (
      notification.call !== call.setTidAddress &&
      !this.unconfirmed.mayGoOn(member, notification.call === call.exitGroup)
    )
      return;
    // Of another architecture the same number is another call.
    if (notification.call === call.setRobustList && notification.architecture === auditArchitecture) {
      this.listener.answer(notification.id, { kind: 'continue' });
      return;
    }
    this.members.tell();
    if (this.refused.handle(notification, member)) return;
    switch (notification.call) {
      case call.execve:
      case call.execveat:
        this.exec(notification, member);
        return;
      case call.setTidAddress:
        if (notification.tid !== member.pid) break;
        this.confirm(member, notification);
        return;
      case call.exitGroup:
        member.exitCode = Number(notification.arguments[0] & 0xffn);
        break;
      case call.setsid:
        this.members.leavesSession(member);
        break;
      default:
        if (this.sockets.handle(notification, member)) return;
    }
    this.listener.answer(notification.id, { kind: 'continue' });
  }

  private exec(notification: Notification, member: Member): void {
    const first = this.takeRoot(member);
    if (first !== undefined) {
      this.unconfirmed.released(member, first);
      this.listener.answer(notification.id, { kind: 'continue' });
      return;
    }
    const refuse = (rule: Unjudgeable, requested: string): void => {
      this.listener.answer(notification.id, { kind: 'errno', errno: errnos.EACCES });
      this.events.unjudged(member, rule, requested);
    };
    const path = readExecPath(this.memory, notification, member.pid);
    if (path.kind === 'unreadable') return refuse('arguments unreadable', '');
    if (isMemoryOnly(path.call)) return refuse('memory-only or deleted file', path.call.requested);
    // A PATH search makes many attempts on files that are not there: answered before their arguments are read,
    // and with the errno that was seen, so that nothing can appear in between.
    const seen = new SeenFiles(this.systemFiles);
    const early = lookAtProgram(path.call.path, [], path.call.cwd, seen);
    if (early.kind === 'absent') {
      this.listener.answer(notification.id, { kind: 'errno', errno: errnoFor(early.code) });
      return;
    }
    if (early.kind === 'unreadable') return refuse('program unreadable', early.path);
    const vector = readArguments(this.memory, notification, member.pid);
    if (vector.kind === 'refused') return refuse(vector.rule, path.call.requested);
    const program = lookAtProgram(path.call.path, vector.argv, path.call.cwd, seen);
    if (program.kind === 'unreadable') return refuse('program unreadable', program.path);
    if (program.kind === 'absent') {
      this.listener.answer(notification.id, { kind: 'errno', errno: errnoFor(program.code) });
      return;
    }
    // What was read belongs to this caller only if it still waits.
    if (!this.listener.isValid(notification.id)) return;
    const { argv, environment } = vector;
    this.events.held({ id: notification.id, member, call: path.call, argv, environment, look: program.look });
  }

  private takeRoot(member: Member): Expectation | undefined {
    const root = this.root;
    if (root === undefined || member.ppid !== process.pid) return undefined;
    this.root = undefined;
    return root;
  }

  /** The first call that a C library makes in a new program: `/proc/PID/exe` is the truth now, before `main`. */
  private confirm(member: Member, notification: Notification): void {
    const started = readStarted(member.pid);
    // Its thread has ended meanwhile: killed, or replaced by what another thread executes, which calls by itself.
    if (!this.listener.isValid(notification.id)) return;
    // Else left unanswered on purpose: the call waits, so no instruction of that program runs before it is ended.
    if (this.unconfirmed.confirmingCall(member, started))
      this.listener.answer(notification.id, { kind: 'continue' });
  }
}
