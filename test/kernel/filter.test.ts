/** The filter as the kernel would run it: classic BPF over `struct seccomp_data`, interpreted here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFilter, familyFilter } from '../../src/kernel/filter.ts';
import { architectureKnown, auditArchitecture, errnos, syscalls } from '../../src/kernel/numbers.ts';

const ALLOW = 0x7fff0000;
const NOTIFY = 0x7fc00000;
const refused = (errno: number): number => 0x00050000 | errno;

/** Only what seccomp(2) lets through and this filter uses; anything else is a fault of the test or the filter. */
function run(code: Buffer, call: number, architecture: number): number {
  const data = Buffer.alloc(64);
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
  for (const name of ['ioUringSetup', 'ioUringEnter', 'ioUringRegister'] as const) {
    assert.equal(of(call[name]), refused(errnos.ENOSYS), name);
  }
  assert.equal(of(call.setns), refused(errnos.EPERM));
  const named = new Set([...familyFilter().notify, ...familyFilter().refuse.keys()]);
  for (let number = 0; number < 1024; number += 1) {
    if (!named.has(number)) assert.equal(of(number), ALLOW, `call ${number}`);
  }
});

test('other architectures and x32 get ENOSYS, whatever the number', { skip: !architectureKnown }, () => {
  const code = encodeFilter(familyFilter());
  const i386 = 0x40000003;
  const other = auditArchitecture === 0xc000003e ? 0xc00000b7 : 0xc000003e;
  for (const architecture of [i386, 0x40000028, other, 0]) {
    for (const number of [0, 1, 11, 59, 221, 358, 0x40000000 | 59]) {
      assert.equal(run(code, number, architecture), refused(errnos.ENOSYS), `${architecture} ${number}`);
    }
  }
  if (process.arch !== 'x64') return;
  for (const number of [0, 59, 520, 545]) {
    assert.equal(run(code, 0x40000000 | number, auditArchitecture), refused(errnos.ENOSYS), `x32 ${number}`);
  }
  // -1, as a tracer leaves it behind, is above the bit too.
  assert.equal(run(code, 0xffffffff, auditArchitecture), refused(errnos.ENOSYS));
});

test('an empty plan lets this architecture through', { skip: !architectureKnown }, () => {
  const code = encodeFilter({ notify: [], refuse: new Map() });
  assert.equal(run(code, syscalls().execve, auditArchitecture), ALLOW);
  assert.equal(code.length % 8, 0);
});
