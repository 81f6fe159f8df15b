/** `kinwatch doctor` on this machine as it is, where calls are refused, and inside a family. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { doctorReport, type DoctorCheck, type DoctorReport } from '../../src/protocol/doctor.ts';
import { readStat } from '../../src/watch/proc.ts';
import { recordsOf } from '../desk/harness.ts';
import { inCheckout, isExec, launcher, Rig, Run, started, toolServer } from './rig.ts';

function checkOf({ checks }: DoctorReport, name: string): DoctorCheck {
  const found = checks.find((check) => check.name === name);
  assert.ok(found, name);
  return found;
}

/** Where these calls fail with EPERM. It leaves nothing running. */
function under(rig: Rig, calls: string, ...argv: string[]): { status: number | null; report: DoctorReport } {
  const refusing = inCheckout('out', 'test', 'fixtures', 'refusing.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [refusing, calls, launcher, ...argv], {
    env: rig.environment,
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(stderr, '');
  return { status, report: doctorReport.parse(JSON.parse(stdout)) };
}

test('this machine holds programs: exit 0, one document, and nothing is left behind', (t) => {
  const { status, report } = under(Rig.make(t), '', 'doctor', '--json');
  assert.equal(report.level, 'held');
  assert.equal(status, 0);
  for (const name of ['kernel', 'programs held', 'programs read', 'connections held', 'end proved'])
    assert.equal(checkOf(report, name).state, 'yes', JSON.stringify(checkOf(report, name)));
  assert.match(checkOf(report, 'desk').text, /None runs/u);
});

test('for people: a line each, and the desk that runs with its version', async (t) => {
  const rig = Rig.make(t);
  await rig.reviewer();
  const { status, stdout } = rig.command('doctor');
  assert.equal(status, 0);
  assert.match(stdout, /^programs held +yes +A program was held/mu);
  assert.match(stdout, /^desk +yes +One runs, version \d+\.\d+\.\d+, the same as this command\.$/mu);
  assert.match(stdout, /^state folder +yes +.*mode 700\.$/mu);
  assert.match(stdout, /\n\nPrograms and connections are held here\.\n$/u);
});

test('where pidfd_getfd is refused: execs held, connections refused, exit 0', (t) => {
  const { status, report } = under(Rig.make(t), 'pidfdGetfd', 'doctor', '--json');
  assert.equal(report.level, 'execs held');
  assert.equal(status, 0);
  assert.match(checkOf(report, 'connections held').text, /^Execs held, connections refused: .*\(EPERM\)/u);
});

test('where memory cannot be read, or no filter is permitted: exit 1, and why', (t) => {
  const rig = Rig.make(t);
  const unread = under(rig, 'processVmReadv', 'doctor', '--json');
  assert.equal(unread.report.level, 'none');
  assert.equal(unread.status, 1);
  assert.match(checkOf(unread.report, 'programs read').text, /process_vm_readv/u);
  const unfiltered = under(rig, 'seccomp', 'doctor', '--json');
  assert.equal(unfiltered.report.level, 'none');
  assert.equal(unfiltered.status, 1);
  assert.match(checkOf(unfiltered.report, 'programs held').text, /security profile may forbid it/u);
});

test('a start that cannot be held names the doctor', (t) => {
  const rig = Rig.make(t);
  const refusing = inCheckout('out', 'test', 'fixtures', 'refusing.mjs');
  const { status, stderr } = spawnSync(
    process.execPath,
    [refusing, 'seccomp', launcher, 'run', '--', '/bin/true'],
    { env: rig.environment, input: '', encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(status, 3);
  assert.match(stderr, /cannot hold programs here: .*Nothing was launched\. kinwatch doctor says/u);
});

test('where namespaces are refused: the doctor says so, and a server that asks for one of its own is not started', (t) => {
  const rig = Rig.make(t);
  const unshare = process.arch === 'x64' ? '272' : '97';
  const { status, report } = under(rig, unshare, 'doctor', '--json');
  assert.equal(status, 0);
  assert.equal(report.level, 'held');
  assert.match(checkOf(report, 'user namespaces').text, /^Browsers may not start.*not permitted/u);
  assert.match(checkOf(report, 'process namespaces').text, /is refused \(it was tried: .*not permitted\)/u);
  mkdirSync(rig.places.config, { recursive: true, mode: 0o700 });
  const servers = { own: { command: '/bin/true', isolation: 'process namespace' } };
  writeFileSync(rig.places.serversFile, JSON.stringify({ servers }));
  const refusing = inCheckout('out', 'test', 'fixtures', 'refusing.mjs');
  const start = spawnSync(process.execPath, [refusing, unshare, launcher, 'run', 'own'], {
    env: rig.environment,
    input: '',
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(start.status, 3);
  assert.match(
    start.stderr,
    /"own" asks for a process namespace of its own.*not permitted.*kinwatch doctor/u,
  );
});

test('where pidfd_getfd is refused a family runs, and its connections are refused', async (t) => {
  const rig = Rig.make(t);
  const review = await rig.reviewer();
  const refusing = inCheckout('out', 'test', 'fixtures', 'refusing.mjs');
  const child = spawn(
    process.execPath,
    [refusing, 'pidfdGetfd', launcher, 'run', '--name', 'tools', '--', process.execPath, toolServer],
    { env: rig.environment, cwd: rig.home },
  );
  const run = new Run(child);
  rig.runs.push(run);
  const ready = run.ready();
  await review.decide('once');
  await ready;
  const script = 'import socket; socket.create_connection(("127.0.0.1", 9))';
  const call = run.call('run', { command: '/usr/bin/python3', args: ['-c', script] });
  await review.decide('once', isExec);
  const answer = await run.answerTo(call);
  assert.match(answer.result.content[0].text, /^Kinwatch refused /u);
  const { code, output } = Run.value(answer, 1);
  assert.equal(code, 1);
  assert.match(output, /PermissionError/u);
  const refusals = recordsOf(rig, 'refusal').map(({ rule, text }) => `${rule}: ${text}`);
  assert.equal(refusals.length, 1, refusals.join('; '));
  t.diagnostic(refusals[0] ?? '');
  child.stdin.end();
  await run.ended();
});

test('inside a family: no, because another supervisor listens, and which', async (t) => {
  const { rig, review, run } = await started(t);
  const answered = new Set<string>();
  const allowing = setInterval(() => {
    for (const { id } of review.questions()) {
      if (answered.has(id)) continue;
      answered.add(id);
      review.answer(id, 'once');
    }
  }, 20);
  t.after(() => clearInterval(allowing));
  const args = [inCheckout('dist', 'cli.js'), 'doctor', '--json'];
  const answer = Run.value(await run.answerTo(run.call('run', { command: process.execPath, args })));
  assert.equal(answer.code, 1, JSON.stringify(answer));
  const report = doctorReport.parse(JSON.parse(answer.output));
  assert.equal(report.level, 'none');
  const supervisor = readStat(rig.members()[0]?.pid ?? 0)?.ppid;
  const { text } = checkOf(report, 'programs held');
  assert.match(text, /another supervisor already listens.*Kinwatch under Kinwatch/u);
  assert.match(text, new RegExp(`the supervisor above it is process ${supervisor}\\.`, 'u'));
});
