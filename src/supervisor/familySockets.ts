/** The socket side of the watched family: its connections, the threads that make them, and who runs what. */
import { join } from 'node:path';
import type { Rule } from '../protocol/desk.ts';
import type { Member } from '../watch/seccomp/members.ts';
import type { SocketCalls } from '../watch/seccomp/sockets.ts';
import type { SocketEvents } from '../watch/seccomp/heldSockets.ts';
import { Connections, type ConnectionsEvents, type ConnectionsOptions } from './connections.ts';
import { Connectors } from './connectors.ts';
import type { JudgedExec } from './execs.ts';
import { refusalOf } from './refusal.ts';
import { Programs, type RunningProgram } from './programs.ts';

export interface FamilySocketsEvents extends ConnectionsEvents {
  gap(what: string): void;
}

export class FamilySockets {
  readonly connections: Connections;
  readonly connectors = new Connectors(join(__dirname, 'supervisorConnector.js'));
  private readonly programs = new Programs();
  private root: RunningProgram | undefined;

  constructor(
    calls: () => SocketCalls,
    options: ConnectionsOptions,
    private readonly events: FamilySocketsEvents,
  ) {
    const lazily: Pick<SocketCalls, 'release' | 'refuse' | 'isHeld'> = {
      isHeld: (call) => calls().isHeld(call),
      release: (call) => calls().release(call),
      refuse: (call, errno) => calls().refuse(call, errno),
    };
    this.connections = new Connections(lazily, this.programs, options, events);
  }

  /** For the watcher. */
  socketEvents(): SocketEvents {
    const { connections, events } = this;
    return {
      held: (call) => connections.judge(call),
      done: (call, answer) => connections.done(call, answer),
      mayReach: (call, path, pid) => connections.mayReach(call, path, pid),
      refused: (member, rule, what) => this.refused(member, rule, what),
      unneeded: (member, rule, what) => this.tellRefused(member, rule, what),
      serves: (socket) => connections.ends.serves(socket),
      gap: (what) => events.gap(what),
      failed: (error) => events.failed(error),
    };
  }

  expectRoot(program: RunningProgram): void {
    this.root = program;
  }

  born(member: Member): void {
    this.programs.born(member, this.root);
  }

  released({ exec, identity, environment }: JudgedExec): void {
    const { member, look, argv, call } = exec;
    this.programs.released(member, { identity, look, environment, argv, cwd: call.cwd });
  }

  confirmed(member: Member): void {
    this.programs.confirmed(member);
  }

  ended(member: Member): void {
    this.programs.ended(member);
    this.connections.callerEnded(member);
  }

  private refused(member: Member, rule: Rule, what: string): void {
    this.events.denied(member.request, rule, this.tellRefused(member, rule, what));
  }

  private tellRefused(member: Member, rule: Rule, what: string): string {
    const text = `Kinwatch refused ${what}: ${rule}`;
    this.events.send(refusalOf(member, 'socket', rule, text));
    return text;
  }
}
