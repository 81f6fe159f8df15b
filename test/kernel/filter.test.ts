/** The filter as the kernel would run it: classic BPF over `struct seccomp_data`, interpreted here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyFilter } from '../../src/kernel/familyFilter.ts';
import { encodeFilter } from '../../src/kernel/filter.ts';
import { architectureKnown, auditArchitecture, errnos, syscalls } from '../../src/kernel/numbers.ts';

const ALLOW = 0x7fff0000;
const NOTIFY = 0x7fc00000;
const refused = (errno: number): number => 0x00050000 | errno;

/** Only what seccomp(2) lets through and this filter uses; anything else is a fault of the test or the filter. */
function run(code: Buffer, call: number, architecture: number, args: readonly bigint[] = []): number {
  const data = Buffer.alloc(64);
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + index * 8));
  data.writeUInt32LE(call >>> 0, 0);
  data.writeUInt32LE(architecture, 4);
  let accumulator = 0;
  for (let at = 0, steps = 0; at < code.length / 8; at += 1, steps += 1) {
    assert.ok(steps < 4096);
    const operation = code.readUInt16LE(at * 8);
    const whenTrue = code.readUInt8(at * 8 + 2);
    const whenFalse = code.readUInt8(at * 8 + 3);
    const value = code.readUInt32LE(at * 8 + 4);
    switch (operation) {
      case 0x20:
        assert.equal(value % 4, 0);
        accumulator = data.readUInt32LE(value);
        break;
      case 0x15:
        at += accumulator === value ? whenTrue : whenFalse;
        break;
      case 0x54:
        accumulator = (accumulator & value) >>> 0;
        break;
      case 0x35:
        at += accumulator >= value ? whenTrue : whenFalse;
        break;
      case 0x06:
        return value;
      default:
        assert.fail(`operation ${operation}`);
    }
  }
  return assert.fail('it ran off its end');
}

test('the family’s filter, call by call', { skip: !architectureKnown }, () => {
  const code = encodeFilter(familyFilter());
  const call = syscalls();
  const of = (number: number): number => run(code, number, auditArchitecture);
  for (const name of ['execve', 'execveat', 'setTidAddress', 'setRobustList', 'exitGroup'] as const) {
    assert.equal(of(call[name]), NOTIFY, name);
  }
  for (const name of ['ioUringEnter', 'ioUringRegister'] as const) {
    assert.equal(of(call[name]), refused(errnos.ENOSYS), name);
  }
  for (const name of ['ioUringSetup', 'setns', 'connect', 'bind', 'listen', 'sendmsg', 'sendmmsg'] as const) {
    assert.equal(of(call[name]), NOTIFY, name);
  }
  const named = new Set([...familyFilter().notify.map((rule) => rule.call), ...familyFilter().refuse.keys()]);
  for (let number = 0; number < 1024; number += 1) {
    if (!named.has(number)) assert.equal(of(number), ALLOW, `call ${number}`);
  }
});

test('sockets and calls on other processes, by their arguments', { skip: !architectureKnown }, () => {
  const code = encodeFilter(familyFilter());
  const call = syscalls();
  const of = (number: number, ...args: bigint[]): number => run(code, number, auditArchitecture, args);
  const cloexec = 0o2000000n;
  const allowed: readonly [bigint, bigint, bigint][] = [
    [1n, 1n, 0n],
    [1n, 5n | cloexec, 0n],
    [2n, 1n | cloexec, 0n],
    [2n, 2n, 17n],
    [10n, 2n, 58n],
    [10n, 1n, 6n],
    [16n, 3n, 0n],
  ];
  for (const args of allowed) assert.equal(of(call.socket, ...args), ALLOW, args.join(' '));
  // Raw IP, packet, SCTP, MPTCP, vsock, Bluetooth, ALG, netlink other than routes, and what a high half would hide.
  const told: readonly [bigint, bigint, bigint][] = [
    [2n, 3n, 1n],
    [17n, 3n, 0n],
    [2n, 1n, 132n],
    [2n, 1n, 262n],
    [40n, 1n, 0n],
    [31n, 3n, 0n],
    [38n, 5n, 0n],
    [16n, 3n, 12n],
    [0xffffffffn, 1n, 0n],
  ];
  for (const args of told) assert.equal(of(call.socket, ...args), NOTIFY, args.join(' '));
  assert.equal(of(call.sendto, 3n, 4096n, 10n, 0x4000n, 0n, 0n), ALLOW);
  assert.equal(of(call.sendto, 3n, 4096n, 10n, 0n, 0x7fff0000n, 16n), NOTIFY);
  assert.equal(of(call.sendto, 3n, 4096n, 10n, 0n, 0x7fff00000000n, 16n), NOTIFY, 'only its upper half');
  assert.equal(of(call.sendto, 3n, 4096n, 10n, 0x20000000n, 0n, 0n), NOTIFY, 'fast open');
  assert.equal(of(call.prlimit64, 0n, 7n, 4096n), ALLOW);
  assert.equal(of(call.prlimit64, 12n, 7n, 0n), ALLOW, 'only read');
  assert.equal(of(call.prlimit64, 12n, 7n, 4096n), NOTIFY);
  assert.equal(of(call.setpriority, 0n, 0n), ALLOW);
  assert.equal(of(call.setpriority, 2n, 0n), NOTIFY, 'every process of a user');
  assert.equal(of(call.ioprioSet, 1n, 0n), ALLOW);
  assert.equal(of(call.schedSetaffinity, 0n), ALLOW);
  assert.equal(of(call.schedSetaffinity, 12n), NOTIFY);
  assert.equal(of(call.kill, 0n), ALLOW);
  assert.equal(of(call.kill, 12n), NOTIFY);
  assert.equal(of(call.kill, 0xffffffffn), NOTIFY, '-1');
  assert.equal(of(call.ptrace, 0n), ALLOW, 'asks to be traced');
  assert.equal(of(call.ptrace, 16n, 12n), NOTIFY);
  assert.equal(of(call.ptrace, 0x4206n, 12n), NOTIFY);
});

test(
  'other architectures and x32 wait for a refusal, whatever the number',
  { skip: !architectureKnown },
  () => {
    const code = encodeFilter(familyFilter());
    const i386 = 0x40000003;
    const other = auditArchitecture === 0xc000003e ? 0xc00000b7 : 0xc000003e;
    for (const architecture of [i386, 0x40000028, other, 0]) {
      for (const number of [0, 1, 11, 59, 221, 358, 0x40000000 | 59]) {
        assert.equal(run(code, number, architecture), NOTIFY, `${architecture} ${number}`);
      }
    }
    if (process.arch !== 'x64') return;
    for (const number of [0, 59, 520, 545]) {
      assert.equal(run(code, 0x40000000 | number, auditArchitecture), NOTIFY, `x32 ${number}`);
    }
    // -1, as a tracer leaves it behind, is above the bit too.
    assert.equal(run(code, 0xffffffff, auditArchitecture), NOTIFY);
  },
);

test('an empty plan lets this architecture through', { skip: !architectureKnown }, () => {
  const code = encodeFilter({ notify: [], refuse: new Map() });
  assert.equal(run(code, syscalls().execve, auditArchitecture), ALLOW);
  assert.equal(code.length % 8, 0);
});
