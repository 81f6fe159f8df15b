/**
 * The seccomp filter of a family: which system calls the watch is told of, and which are refused outright.
 * Classic BPF over `struct seccomp_data` (`seccomp(2)`): number at 0, architecture at 4, arguments from 16.
 */
import { addressOf, errno, KernelError, libc, syscallPointer } from './libc.ts';
import { auditArchitecture, errnos, syscalls } from './numbers.ts';

const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_SET_MODE_FILTER = 1;
const NEW_LISTENER = 8;
const WAIT_KILLABLE_RECV = 32;

const RET_ALLOW = 0x7fff0000;
const RET_USER_NOTIF = 0x7fc00000;
const RET_ERRNO = 0x00050000;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;
/** x32 calls have this bit in their number; they would slip past comparisons with the x86-64 numbers. */
const x32Bit = 0x40000000;

export interface FilterPlan {
  /** Calls that wait for the listener's answer. */
  readonly notify: readonly number[];
  /** Calls answered with this errno, without the listener. */
  readonly refuse: ReadonlyMap<number, number>;
}

/** What the watch of this version traps. */
export function familyFilter(): FilterPlan {
  const call = syscalls();
  return {
    notify: [call.execve, call.execveat, call.setTidAddress, call.setRobustList, call.exitGroup],
    refuse: new Map([
      // A ring performs calls that no filter sees.
      [call.ioUringSetup, errnos.ENOSYS],
      [call.ioUringEnter, errnos.ENOSYS],
      [call.ioUringRegister, errnos.ENOSYS],
      // Entering namespaces that the family did not create would let a member leave it (THREATS 3).
      [call.setns, errnos.EPERM],
    ]),
  };
}

/** The plan as `struct sock_filter[]`. Foreign architectures are answered ENOSYS: they would dodge the numbers. */
export function encodeFilter(plan: FilterPlan): Buffer {
  const code: Buffer[] = [];
  const add = (operation: number, value: number, whenTrue = 0, whenFalse = 0): void => {
    const instruction = Buffer.alloc(8);
    instruction.writeUInt16LE(operation, 0);
    instruction[2] = whenTrue;
    instruction[3] = whenFalse;
    instruction.writeUInt32LE(value >>> 0, 4);
    code.push(instruction);
  };
  add(LOAD, 4);
  add(JUMP_EQUAL, auditArchitecture, 1, 0);
  add(RETURN, RET_ERRNO | errnos.ENOSYS);
  add(LOAD, 0);
  if (process.arch === 'x64') {
    add(JUMP_AT_LEAST, x32Bit, 0, 1);
    add(RETURN, RET_ERRNO | errnos.ENOSYS);
  }
  for (const [number, answer] of plan.refuse) {
    add(JUMP_EQUAL, number, 0, 1);
    add(RETURN, RET_ERRNO | answer);
  }
  for (const number of plan.notify) {
    add(JUMP_EQUAL, number, 0, 1);
    add(RETURN, RET_USER_NOTIF);
  }
  add(RETURN, RET_ALLOW);
  return Buffer.concat(code);
}

/** Gives up gaining privileges (`prctl(2)`): a precondition of both filter and Landlock for ordinary users. */
export function setNoNewPrivileges(): void {
  if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0)
    throw new KernelError('prctl(PR_SET_NO_NEW_PRIVS)', errno());
}

/**
 * Puts the calling *thread* under the filter; what it spawns inherits it.
 *
 * @returns the listener's descriptor.
 * @throws KernelError; EBUSY when another listener is already above this thread (Kinwatch under Kinwatch, LXD).
 */
export function installFilter(plan: FilterPlan): number {
  const filter = encodeFilter(plan);
  // struct sock_fprog: unsigned short len; struct sock_filter *filter (8-byte aligned).
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(addressOf(filter), 8);
  const fd = syscallPointer(
    syscalls().seccomp,
    SECCOMP_SET_MODE_FILTER,
    NEW_LISTENER | WAIT_KILLABLE_RECV,
    program,
  );
  if (fd < 0) throw new KernelError('seccomp(SECCOMP_SET_MODE_FILTER, NEW_LISTENER)', errno());
  return fd;
}
