/** System call numbers and constants by architecture. Sources: `asm/unistd.h`, `linux/seccomp.h`, `linux/audit.h`. */

interface Syscalls {
  readonly execve: number;
  readonly execveat: number;
  readonly setTidAddress: number;
  readonly setRobustList: number;
  readonly exitGroup: number;
  readonly setns: number;
  readonly setsid: number;
  readonly ioUringSetup: number;
  readonly ioUringEnter: number;
  readonly ioUringRegister: number;
  readonly seccomp: number;
  readonly socket: number;
  readonly connect: number;
  readonly bind: number;
  readonly listen: number;
  readonly sendto: number;
  readonly sendmsg: number;
  readonly sendmmsg: number;
  readonly kill: number;
  readonly rtSigqueueinfo: number;
  readonly ptrace: number;
  readonly processVmReadv: number;
  readonly processVmWritev: number;
  readonly prlimit64: number;
  readonly setpriority: number;
  readonly ioprioSet: number;
  readonly schedSetscheduler: number;
  readonly schedSetparam: number;
  readonly schedSetattr: number;
  readonly schedSetaffinity: number;
  readonly migratePages: number;
  readonly movePages: number;
  readonly pidfdGetfd: number;
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
  pidfdGetfd: 438,
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
      setsid: 112,
      seccomp: 317,
      socket: 41,
      connect: 42,
      bind: 49,
      listen: 50,
      sendto: 44,
      sendmsg: 46,
      sendmmsg: 307,
      kill: 62,
      rtSigqueueinfo: 129,
      ptrace: 101,
      processVmReadv: 310,
      processVmWritev: 311,
      prlimit64: 302,
      setpriority: 141,
      ioprioSet: 251,
      schedSetscheduler: 144,
      schedSetparam: 142,
      schedSetattr: 314,
      schedSetaffinity: 203,
      migratePages: 256,
      movePages: 279,
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
      setsid: 157,
      seccomp: 277,
      socket: 198,
      connect: 203,
      bind: 200,
      listen: 201,
      sendto: 206,
      sendmsg: 211,
      sendmmsg: 269,
      kill: 129,
      rtSigqueueinfo: 138,
      ptrace: 117,
      processVmReadv: 270,
      processVmWritev: 271,
      prlimit64: 261,
      setpriority: 140,
      ioprioSet: 30,
      schedSetscheduler: 119,
      schedSetparam: 118,
      schedSetattr: 274,
      schedSetaffinity: 122,
      migratePages: 238,
      movePages: 239,
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
  EBADF: 9,
  EACCES: 13,
  EBUSY: 16,
  EINVAL: 22,
  EFAULT: 14,
  EAGAIN: 11,
  ENOSYS: 38,
  EMSGSIZE: 90,
  EPROTONOSUPPORT: 93,
  EOPNOTSUPP: 95,
  EAFNOSUPPORT: 97,
  ENOTSOCK: 88,
  ECONNREFUSED: 111,
  EINPROGRESS: 115,
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
