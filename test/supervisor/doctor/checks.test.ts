import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorReport, type DoctorCheck } from '../../../src/protocol/doctor.ts';
import { reportOf } from '../../../src/supervisor/doctor/checks.ts';
import type { DoctorFacts, HeldTry, MachineFacts } from '../../../src/supervisor/doctor/facts.ts';
import { hidepidOf } from '../../../src/supervisor/doctor/machine.ts';

const held: HeldTry = {
  kind: 'held',
  domain: 'signals, abstract sockets and tracing',
  memory: true,
  proc: true,
  pidfd: true,
  socket: 'duplicated',
  emptied: true,
};
const machine: MachineFacts = {
  platform: 'linux',
  architecture: 'x64',
  kernel: '6.12.3-generic',
  landlockAbi: 6,
  ptraceScope: 1,
  hidepid: undefined,
  isContainer: false,
  userNamespaces: 'permitted',
  processNamespaces: 'permitted',
  installed: new Set(['lsof', 'crontab', 'atq', 'systemd-run']),
  node: '20.19.0',
  koffi: '3.3.4',
};
const facts: DoctorFacts = {
  held,
  machine,
  installation: {
    version: '0.1.0',
    places: {
      kind: 'places',
      places: [{ name: 'state folder', path: '/home/dev/s', fault: undefined, mode: '700' }],
      socketBytes: 40,
    },
    desk: { kind: 'running', version: '0.1.0' },
    supervisorAbove: undefined,
  },
};

function reported(change: {
  readonly held?: HeldTry;
  readonly machine?: Partial<MachineFacts>;
  readonly installation?: Partial<DoctorFacts['installation']>;
}) {
  const report = reportOf({
    held: change.held ?? held,
    machine: { ...machine, ...change.machine },
    installation: { ...facts.installation, ...change.installation },
  });
  assert.deepEqual(doctorReport.parse(report), report);
  const of = (name: string): DoctorCheck => {
    const found = report.checks.find((check) => check.name === name);
    assert.ok(found, name);
    return found;
  };
  return { report, of };
}

test('where everything works only what no family can do is no', () => {
  const { report } = reported({});
  assert.equal(report.level, 'held');
  assert.deepEqual(
    report.checks.filter(({ state }) => state !== 'yes').map(({ name, state }) => [name, state]),
    [
      ['sudo and file capabilities', 'no'],
      ['32-bit programs', 'no'],
      ['rootless podman', 'no'],
    ],
  );
  assert.equal(new Set(report.checks.map(({ name }) => name)).size, report.checks.length);
});

test('a container whose profile refuses pidfd_getfd: execs held, connections refused, and how to permit it', () => {
  const { report, of } = reported({
    held: { ...held, socket: { errno: 'EPERM' } },
    machine: { isContainer: true },
  });
  assert.equal(report.level, 'execs held');
  assert.equal(of('connections held').state, 'no');
  assert.match(
    of('connections held').text,
    /^Execs held, connections refused: .*EPERM.*--cap-add SYS_PTRACE/u,
  );
  assert.equal(of('container profile').state, 'no');
});

test('another listener: its reason is passed on with the supervisor above, and nothing else counts as tried', () => {
  const { report, of } = reported({
    held: { kind: 'unable', reason: 'another supervisor already listens' },
    installation: { supervisorAbove: 4711 },
  });
  assert.equal(report.level, 'none');
  assert.match(
    of('programs held').text,
    /another supervisor already listens\. .*process 4711\. .*refuses every start/u,
  );
  for (const name of ['programs read', 'connections held', 'end proved'])
    assert.deepEqual(of(name), { name, state: 'no', text: 'Not tried: no program could be held.' });
});

test('what cannot be read cannot be judged: no held watch', () => {
  const { report, of } = reported({ held: { ...held, memory: false }, machine: { ptraceScope: 2 } });
  assert.equal(report.level, 'none');
  assert.match(
    of('programs read').text,
    /process_vm_readv.*every program would be refused.*ptrace_scope to 1/u,
  );
  assert.equal(of('tracing rule (Yama)').state, 'no');
});

test('an older kernel, in the words of the coverage', () => {
  const { report, of } = reported({
    held: { ...held, domain: 'tracing only' },
    machine: { kernel: '5.18.0', landlockAbi: 2 },
  });
  assert.equal(report.level, 'held');
  assert.equal(of('kernel').state, 'no');
  const inside = of('signals and tracing kept inside');
  assert.equal(inside.state, 'partly');
  assert.match(inside.text, /ABI 2\. The coverage says: .*not refused \(needs Linux 6\.12\)\./u);
});

test('each lack is named with what follows from it', () => {
  const { of } = reported({
    machine: {
      hidepid: 'invisible',
      userNamespaces: { reason: 'EPERM' },
      processNamespaces: { reason: 'EPERM' },
      installed: new Set(),
    },
    installation: {
      desk: { kind: 'running', version: '0.0.9' },
      places: { kind: 'fault', reason: 'user 5 has no home directory; set KINWATCH_HOME' },
    },
  });
  assert.match(of('all processes in /proc').text, /hidepid=invisible.*not found by looking/u);
  assert.match(of('user namespaces').text, /Browsers may not start.*EPERM.*Permit them/u);
  assert.match(of('process namespaces').text, /is refused \(EPERM\)/u);
  assert.equal(of('lsof').state, 'partly');
  assert.match(of('desk').text, /version 0\.0\.9, and this command is 0\.1\.0/u);
  assert.equal(of('folders').state, 'no');
});

test('hidepid is that of the /proc in sight', () => {
  const line = (options: string): string =>
    `21 26 0:20 / /proc rw,relatime - proc proc rw${options}\n22 21 0:21 / /proc/sys rw - proc proc rw,hidepid=2\n`;
  assert.equal(hidepidOf(line('')), undefined);
  assert.equal(hidepidOf(line(',hidepid=2')), '2');
  assert.equal(hidepidOf(line(',hidepid=invisible,gid=4')), 'invisible');
  assert.equal(hidepidOf(line(',hidepid=off')), undefined);
  assert.equal(hidepidOf(''), undefined);
});
