/** Which live processes are members, supervisors and clients. Entries of ended processes do no harm: pid and start time must both match. */
import type { ProcessKey } from '../core/facts.ts';
import type { KnownProcesses } from './peer.ts';

export class Census implements KnownProcesses {
  private readonly members = new Map<number, number>();
  private readonly supervisors = new Map<number, number>();
  private readonly clients = new Map<number, number>();

  constructor(readonly uid: number) {}

  isMember = (key: ProcessKey): boolean => this.members.get(key.pid) === key.startTicks;
  isSupervisor = (key: ProcessKey): boolean => this.supervisors.get(key.pid) === key.startTicks;
  isClient = (key: ProcessKey): boolean => this.clients.get(key.pid) === key.startTicks;

  addMember(key: ProcessKey): void {
    this.members.set(key.pid, key.startTicks);
  }

  /** Only for a process that has ended: an escaped member stays a member. */
  removeMember(key: ProcessKey): void {
    if (this.isMember(key)) this.members.delete(key.pid);
  }

  addSupervisor(key: ProcessKey): void {
    this.supervisors.set(key.pid, key.startTicks);
  }

  addClient(key: ProcessKey): void {
    this.clients.set(key.pid, key.startTicks);
  }

  /** Forgets supervisors, clients and members that have ended. */
  sweep(isAlive: (key: ProcessKey) => boolean): void {
    for (const map of [this.members, this.supervisors, this.clients]) {
      for (const [pid, startTicks] of map) if (!isAlive({ pid, startTicks })) map.delete(pid);
    }
  }
}
