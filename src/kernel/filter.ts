/**
 * The seccomp filter of a family: which system calls the watch is told of, and which are refused outright.
 * Classic BPF over `struct seccomp_data` (`seccomp(2)`): number at 0, architecture at 4, arguments from 16.
 */
import { addressOf, errno, KernelError, libc, syscallPointer } from './libc.ts';
import { auditArchitecture, syscalls } from './numbers.ts';

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
const AND = 0x54;
const RETURN = 0x06;
/** Where `struct seccomp_data` has the arguments, eight bytes each, lower half first on these architectures. */
const argumentsOffset = 16;
/** x32 calls have this bit in their number; they would slip past comparisons with the x86-64 numbers. */
const x32Bit = 0x40000000;

/** One argument of a call, compared as the kernel takes it: scalars cannot be changed behind the filter's back. */
export interface ArgumentTest {
  readonly argument: 0 | 1 | 2 | 3 | 4 | 5;
  /** Bits that count, of the lower half. Absent: all of it. */
  readonly mask?: number;
  readonly equals: number;
  /** The upper half must be zero too: pointers and lengths, not `int`. */
  readonly wide?: boolean;
}

export interface TrapRule {
  readonly call: number;
  /** Goes on untold when every test of one of these holds. Absent: never. */
  readonly unless?: readonly (readonly ArgumentTest[])[];
  /** Told only when every test of one of these holds. Absent: always. */
  readonly only?: readonly (readonly ArgumentTest[])[];
}

export interface FilterPlan {
  /** Calls that wait for the listener's answer. */
  readonly notify: readonly TrapRule[];
  /** Calls answered with this errno, without the listener. */
  readonly refuse: ReadonlyMap<number, number>;
}

/**
 * The plan as `struct sock_filter[]`. Calls of foreign architectures wait for the listener too: they would dodge the
 * numbers, so it refuses them, whatever they are.
 */
export function encodeFilter(plan: FilterPlan): Buffer {
  const code: Instruction[] = [
    [LOAD, 4],
    [JUMP_EQUAL, auditArchitecture, 1, 0],
    [RETURN, RET_USER_NOTIF],
    [LOAD, 0],
  ];
  if (process.arch === 'x64') code.push([JUMP_AT_LEAST, x32Bit, 0, 1], [RETURN, RET_USER_NOTIF]);
  for (const [number, answer] of plan.refuse) {
    code.push([JUMP_EQUAL, number, 0, 1], [RETURN, RET_ERRNO | answer]);
  }
  for (const { call, unless = [], only } of plan.notify) {
    const body = unless.flatMap((tests) => clause(tests, RET_ALLOW));
    for (const tests of only ?? []) body.push(...clause(tests, RET_USER_NOTIF));
    body.push([RETURN, only === undefined ? RET_USER_NOTIF : RET_ALLOW]);
    code.push([JUMP_EQUAL, call, 0, body.length], ...body);
  }
  code.push([RETURN, RET_ALLOW]);
  return Buffer.concat(code.map(encode));
}

type Instruction = readonly [operation: number, value: number, whenTrue?: number, whenFalse?: number];

/** This verdict when every test holds, else on behind it. */
function clause(tests: readonly ArgumentTest[], verdict: number): Instruction[] {
  const code: Instruction[] = [[RETURN, verdict]];
  for (const { argument, mask, equals, wide = false } of tests.toReversed()) {
    const at = argumentsOffset + argument * 8;
    if (wide) code.unshift([LOAD, at + 4], [JUMP_EQUAL, 0, 0, code.length]);
    code.unshift([JUMP_EQUAL, equals, 0, code.length]);
    if (mask !== undefined) code.unshift([AND, mask]);
    code.unshift([LOAD, at]);
  }
  return code;
}

function encode([operation, value, whenTrue = 0, whenFalse = 0]: Instruction): Buffer {
  const instruction = Buffer.alloc(8);
  instruction.writeUInt16LE(operation, 0);
  instruction.writeUInt8(whenTrue, 2);
  instruction.writeUInt8(whenFalse, 3);
  instruction.writeUInt32LE(value >>> 0, 4);
  return instruction;
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
