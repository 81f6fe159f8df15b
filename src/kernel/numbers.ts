/** System call numbers and constants by architecture. Sources: `asm/unistd.h`, `linux/seccomp.h`, `linux/audit.h`. */

interface Syscalls {
  readonly execve: number;
  readonly execveat: number;
  readonly setTidAddress: number;
  readonly setRobustList: number;
  readonly exitGroup: number;
  readonly setns: number;
  readonly ioUringSetup: number;
  readonly ioUringEnter: number;
  readonly ioUringRegister: number;
  readonly seccomp: number;
  readonly pidfdOpen: number;
  readonly pidfdSendSignal: number;
  readonly landlockCreateRuleset: number;
  readonly landlockRestrictSelf: number;
}

const common = {
  ioUringSetup: 425,
  ioUringEnter: 426,
  ioUringRegister: 427,
  pidfdOpen: 434,
  pidfdSendSignal: 424,
  landlockCreateRuleset: 444,
  landlockRestrictSelf: 446,
};

const tables: Readonly<Record<string, { audit: number; syscalls: Syscalls }>> = {
  x64: {
    audit: 0xc000003e,
    syscalls: {
      ...common,
      execve: 59,
      execveat: 322,
      setTidAddress: 218,
      setRobustList: 273,
      exitGroup: 231,
      setns: 308,
      seccomp: 317,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    syscalls: {
      ...common,
      execve: 221,
      execveat: 281,
      setTidAddress: 96,
      setRobustList: 99,
      exitGroup: 94,
      setns: 268,
      seccomp: 277,
    },
  },
};

const table = tables[process.arch];

/** True when the numbers of this architecture are known. */
export const architectureKnown = table !== undefined;
export const auditArchitecture = table?.audit ?? 0;

/** @throws when the architecture is unknown: check {@link architectureKnown} first. */
export function syscalls(): Syscalls {
  if (table === undefined) throw new Error(`no system call numbers for ${process.arch}`);
  return table.syscalls;
}

export const errnos = {
  EPERM: 1,
  ENOENT: 2,
  EINTR: 4,
  EACCES: 13,
  EBUSY: 16,
  EINVAL: 22,
  ENOSYS: 38,
} as const;

export const signals = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGTERM: 15,
  SIGCONT: 18,
  SIGSTOP: 19,
} as const;

/** Name of a signal number, for certificates and statuses. */
export function signalName(number: number): string {
  const known = Object.entries(signals).find(([, value]) => value === number);
  return known === undefined ? `signal ${number}` : known[0];
}
