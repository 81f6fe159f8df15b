/** The doctor's sentences: what each fact means for a family, and the next step. */
import type { DoctorCheck, DoctorReport } from '../../protocol/doctor.ts';
import { coverageText } from '../coverage.ts';
import type { DoctorFacts, HeldTry, MachineFacts } from './facts.ts';
import { installationChecks } from './installationChecks.ts';

type State = DoctorCheck['state'];

/** `SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV` came with it: `seccomp(2)`. */
const leastKernel = [5, 19] as const;

export function reportOf(facts: DoctorFacts): DoctorReport {
  const { held, machine, installation } = facts;
  return {
    level: levelOf(held),
    checks: [
      kernel(machine),
      ...watchChecks(facts),
      landlock(held, machine),
      yama(machine),
      processList(machine),
      container(facts),
      ...namespaces(machine),
      ...programs(machine),
      check('Node and koffi', 'yes', `Node ${machine.node}, koffi ${machine.koffi}.`),
      ...installationChecks(installation),
      ...unsupported(),
    ],
  };
}

/** Without the memory or `/proc` of a member no exec can be judged, and each is refused. */
function levelOf(held: HeldTry): DoctorReport['level'] {
  if (held.kind !== 'held' || !held.memory || !held.proc || !held.pidfd) return 'none';
  return held.socket === 'duplicated' ? 'held' : 'execs held';
}

export function check(name: string, state: State, text: string): DoctorCheck {
  return { name, state, text };
}

function kernel({ platform, architecture, kernel: version }: MachineFacts): DoctorCheck {
  const name = 'kernel';
  const known = platform === 'linux' && (architecture === 'x64' || architecture === 'arm64');
  if (!known)
    return check(
      name,
      'no',
      `${platform} on ${architecture}; programs are held on Linux on x64 and arm64 only: run servers there.`,
    );
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const isNew = major > leastKernel[0] || (major === leastKernel[0] && minor >= leastKernel[1]);
  return isNew
    ? check(name, 'yes', `Linux ${version} on ${architecture}.`)
    : check(
        name,
        'no',
        `Linux ${version} on ${architecture}; holding programs needs 5.19 or newer: update the kernel.`,
      );
}

function watchChecks({ held, machine, installation }: DoctorFacts): DoctorCheck[] {
  const names = ['programs held', 'programs read', 'connections held', 'end proved'] as const;
  if (held.kind !== 'held') {
    const above = installation.supervisorAbove;
    const where =
      above === undefined ? '' : ` This is inside a family: the supervisor above it is process ${above}.`;
    const how = held.kind === 'unable' ? 'It was tried and refused' : 'It was tried and failed';
    return [
      check(names[0], 'no', `${how}: ${held.reason}.${where} kinwatch run refuses every start here.`),
      ...names.slice(1).map((name) => check(name, 'no', 'Not tried: no program could be held.')),
    ];
  }
  const isRead = held.memory && held.proc && held.pidfd;
  return [
    check(names[0], 'yes', 'A program was held at its start, and let go on.'),
    isRead
      ? check(names[1], 'yes', 'What a held program is and does could be read.')
      : check(names[1], 'no', `${unread(held)}, so every program would be refused. ${readStep(machine)}`),
    held.socket === 'duplicated'
      ? check(names[2], 'yes', 'A program’s socket could be worked on in its place.')
      : check(
          names[2],
          'no',
          `Execs held, connections refused: duplicating a program’s socket failed (${held.socket.errno}). ${socketStep(machine)}`,
        ),
    held.emptied
      ? check(names[3], 'yes', 'The kernel said when the last process had ended.')
      : check(
          names[3],
          'no',
          'The kernel did not say in time that nobody was left, so certificates say “not proved”. Run it again; report it if it stays.',
        ),
  ];
}

function unread({ memory, proc, pidfd }: Extract<HeldTry, { kind: 'held' }>): string {
  const parts = [
    ...(memory ? [] : ['memory (process_vm_readv)']),
    ...(proc ? [] : ['/proc entry']),
    ...(pidfd ? [] : ['descriptor (pidfd_open)']),
  ];
  return `A held program’s ${parts.join(' and ')} could not be had`;
}

function readStep({ ptraceScope = 0, isContainer }: MachineFacts): string {
  if (ptraceScope >= 2) return 'Set kernel.yama.ptrace_scope to 1.';
  return isContainer
    ? 'Allow process_vm_readv and pidfd_open in the container’s profile.'
    : 'Look for a security module that forbids it.';
}

function socketStep({ ptraceScope = 0, isContainer }: MachineFacts): string {
  if (ptraceScope >= 2) return 'Set kernel.yama.ptrace_scope to 1.';
  return isContainer
    ? 'Allow pidfd_getfd in the container’s profile (Docker: --cap-add SYS_PTRACE).'
    : 'It needs Linux 5.6 or newer and no security module that forbids it.';
}

function landlock(held: HeldTry, { landlockAbi }: MachineFacts): DoctorCheck {
  const name = 'signals and tracing kept inside';
  if (held.kind !== 'held')
    return check(name, 'no', `Landlock ABI ${landlockAbi}; not tried: no program could be held.`);
  const covered = `The coverage says: ${coverageText(held.domain, false)}.`;
  switch (held.domain) {
    case 'signals, abstract sockets and tracing':
      return check(name, 'yes', `Landlock ABI ${landlockAbi} keeps ${held.domain} inside a family.`);
    case 'tracing only':
      return check(name, 'partly', `Landlock ABI ${landlockAbi}. ${covered} Update to Linux 6.12 or newer.`);
    case 'none':
      return check(name, 'no', `No Landlock. ${covered} Enable it (lsm=landlock,… at boot).`);
  }
}

function yama({ ptraceScope }: MachineFacts): DoctorCheck {
  const name = 'tracing rule (Yama)';
  if (ptraceScope === undefined) return check(name, 'yes', 'No Yama: a supervisor may read its own family.');
  return ptraceScope < 2
    ? check(name, 'yes', `ptrace_scope ${ptraceScope}: a supervisor may read its own family.`)
    : check(
        name,
        'no',
        `ptrace_scope ${ptraceScope}: a supervisor may not read its family; set kernel.yama.ptrace_scope to 1.`,
      );
}

function processList({ hidepid }: MachineFacts): DoctorCheck {
  const name = 'all processes in /proc';
  return hidepid === undefined
    ? check(name, 'yes', 'This user’s processes can be found by looking.')
    : check(
        name,
        'partly',
        `/proc is mounted with hidepid=${hidepid}: a member that hides itself is not found by looking; only the kernel’s word that nobody is left tells of it. Mount it without to see more.`,
      );
}

function container({ machine, held }: DoctorFacts): DoctorCheck {
  const name = 'container profile';
  if (!machine.isContainer) return check(name, 'yes', 'This is no Docker or Podman container.');
  return levelOf(held) === 'held'
    ? check(name, 'yes', 'This is a container, and its profile permits what was tried.')
    : check(
        name,
        'no',
        'This is a container, and its profile may be what forbids the above; run the servers outside, or widen it.',
      );
}

function namespaces({ userNamespaces, processNamespaces }: MachineFacts): DoctorCheck[] {
  const step = 'Permit them (user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns).';
  return [
    userNamespaces === 'permitted'
      ? check('user namespaces', 'yes', 'Browsers and bwrap can isolate themselves inside a family.')
      : check(
          'user namespaces',
          'no',
          `Browsers may not start, or need --no-sandbox (${userNamespaces.reason}). ${step}`,
        ),
    processNamespaces === 'permitted'
      ? check(
          'process namespaces',
          'yes',
          'A server may have "isolation": "process namespace": its processes end with a killed supervisor.',
        )
      : check(
          'process namespaces',
          'no',
          `A server with "isolation": "process namespace" is refused (${processNamespaces.reason}); after a killed supervisor the desk ends the others. ${step}`,
        ),
  ];
}

function programs({ installed }: MachineFacts): DoctorCheck[] {
  const one = (name: string, state: State, without: string, yes: string): DoctorCheck =>
    installed.has(name) ? check(name, 'yes', yes) : check(name, state, without);
  return [
    one(
      'lsof',
      'partly',
      'Evidence of open files comes from /proc alone; install lsof for where sockets lead.',
      'Its output is added to evidence.',
    ),
    one(
      'crontab',
      'partly',
      'Not installed: no crontab to compare at a session’s end.',
      'The crontab is compared at a session’s end.',
    ),
    one(
      'atq',
      'partly',
      'Not installed: no at jobs to compare at a session’s end.',
      'At jobs are compared at a session’s end.',
    ),
    one(
      'systemd-run',
      'no',
      'No systemd runs here; nothing of this version needs it.',
      'systemd runs here; this version does not put families into units of their own.',
    ),
  ];
}

function unsupported(): DoctorCheck[] {
  return [
    check(
      'sudo and file capabilities',
      'no',
      'No program of a family can gain rights: start what needs them outside.',
    ),
    check('32-bit programs', 'no', 'Their calls are refused in a family: use the 64-bit program.'),
    check(
      'rootless podman',
      'no',
      'It needs setuid programs, which gain nothing in a family: start its containers outside.',
    ),
  ];
}
