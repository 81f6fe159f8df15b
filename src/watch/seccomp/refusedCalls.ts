/**
 * Calls that are refused without a question: of foreign tables, of rings, into namespaces, and on another process by
 * its number: let through inside the family, refused and told outside it (THREATS 1, 5).
 * Their arguments are numbers, which nobody can change behind the answer. Where Landlock scopes signals, the kernel
 * refuses most of it as well; here it is seen.
 */
import { readlinkSync } from 'node:fs';
import type { Listener, Notification } from '../../kernel/listener.ts';
import { auditArchitecture, errnos, syscalls } from '../../kernel/numbers.ts';
import { readStat, readThreadGroup } from '../proc.ts';
import type { Member, Members } from './members.ts';

/** Calls of the x32 table have this bit: `seccomp(2)`. */
const x32Bit = 0x40000000;

export type RefusedCall =
  | 'process outside the family'
  | 'namespace outside the family'
  | 'io_uring'
  | 'foreign architecture';

interface Refusal {
  readonly errno: number;
  readonly rule: RefusedCall;
  /** Completes "tried to …". */
  readonly what: string;
}

export class RefusedCalls {
  private readonly ownNamespace = namespaceOf('self');

  constructor(
    private readonly listener: Listener,
    private readonly members: Members,
    private readonly refused: (member: Member, rule: RefusedCall, what: string) => void,
  ) {}

  /** True when it was refused and told. */
  handle(notification: Notification, member: Member): boolean {
    const found = this.refusalOf(notification);
    if (found === undefined) return false;
    this.listener.answer(notification.id, { kind: 'errno', errno: found.errno });
    this.refused(member, found.rule, found.what);
    return true;
  }

  private refusalOf(notification: Notification): Refusal | undefined {
    const { call } = notification;
    const number = syscalls();
    if (notification.architecture !== auditArchitecture || call >= x32Bit || call < 0)
      return {
        errno: errnos.ENOSYS,
        rule: 'foreign architecture',
        what: `make call ${call} of another table`,
      };
    if (call === number.ioUringSetup)
      return { errno: errnos.ENOSYS, rule: 'io_uring', what: 'make calls that no filter sees' };
    if (call === number.setns)
      return { errno: errnos.EPERM, rule: 'namespace outside the family', what: 'enter a namespace' };
    const what = this.outside(notification);
    return what === undefined ? undefined : { errno: errnos.EPERM, rule: 'process outside the family', what };
  }

  /**
   * What the call would do, in words: `send a signal to process 12`. Undefined when it is none of these, or stays
   * inside the family.
   */
  private outside(notification: Notification): string | undefined {
    const aim = aimOf(notification);
    if (aim === undefined) return undefined;
    // Numbers of another pid namespace name its own processes only: those the family made there.
    const namespace = namespaceOf(String(notification.tid));
    if (namespace !== undefined && namespace !== this.ownNamespace) return undefined;
    const { target, deed } = aim;
    switch (target.kind) {
      case 'everything':
        return `${deed} every process of this user`;
      case 'process':
        return this.isOutside(target.pid) ? `${deed} process ${target.pid}` : undefined;
      case 'group':
        return this.isGroupOutside(target.id) ? `${deed} process group ${target.id}` : undefined;
    }
  }

  /** A process that is gone is nobody's: the call fails by itself. */
  private isOutside(pid: number): boolean {
    const leader = readThreadGroup(pid);
    if (leader === undefined) return false;
    for (let at = leader, depth = 0; depth < 256; depth += 1) {
      if (this.members.get(at) !== undefined) return false;
      const parent = readStat(at)?.ppid;
      // A child that has called nothing yet is not known, its parent is.
      if (parent === undefined || parent <= 1 || at === process.pid) return true;
      at = parent;
    }
    return true;
  }

  private isGroupOutside(group: number): boolean {
    if (group === 0) return false; // the caller's own
    const inside = this.members.all().some(({ pid }) => readStat(pid)?.pgid === group);
    return !inside && (readStat(group) !== undefined ? this.isOutside(group) : true);
  }
}

type Target =
  | { readonly kind: 'process'; readonly pid: number }
  | { readonly kind: 'group'; readonly id: number }
  | { readonly kind: 'everything' };

function aimOf({ call, arguments: args }: Notification): { target: Target; deed: string } | undefined {
  const number = syscalls();
  const first = Number(BigInt.asIntN(32, args[0]));
  const second = Number(BigInt.asIntN(32, args[1]));
  const onProcess = (pid: number, deed: string) => ({ target: { kind: 'process', pid } as const, deed });
  switch (call) {
    case number.kill:
      return { target: signalled(first), deed: 'send a signal to' };
    case number.rtSigqueueinfo:
      return onProcess(first, 'send a signal to');
    case number.ptrace:
      return onProcess(second, 'trace');
    case number.processVmReadv:
      return onProcess(first, 'read the memory of');
    case number.processVmWritev:
      return onProcess(first, 'write the memory of');
    case number.prlimit64:
      return onProcess(first, 'limit');
    case number.schedSetscheduler:
    case number.schedSetparam:
    case number.schedSetattr:
    case number.schedSetaffinity:
      return onProcess(first, 'change the scheduling of');
    case number.migratePages:
    case number.movePages:
      return onProcess(first, 'move the memory of');
    case number.setpriority:
      return { target: whoseOf(first, second), deed: 'change the priority of' };
    case number.ioprioSet:
      return { target: whoseOf(first - 1, second), deed: 'change the priority of' };
    default:
      return undefined;
  }
}

/** `kill(2)`: -1 is everything, other negative numbers are groups. */
function signalled(pid: number): Target {
  if (pid === -1) return { kind: 'everything' };
  return pid < 0 ? { kind: 'group', id: -pid } : { kind: 'process', pid };
}

/** `setpriority(2)`: PRIO_PROCESS, PRIO_PGRP, PRIO_USER. Zero is the caller's own. */
function whoseOf(which: number, who: number): Target {
  if (which === 0) return { kind: 'process', pid: who };
  return which === 1 ? { kind: 'group', id: who } : { kind: 'everything' };
}

function namespaceOf(process: string): string | undefined {
  try {
    return readlinkSync(`/proc/${process}/ns/pid`);
  } catch {
    return undefined; // gone, or unreadable: judged as if it were in this one
  }
}
