/** What the watch traps of a family, and what it is refused without a word. */
import type { ArgumentTest, FilterPlan, TrapRule } from './filter.ts';
import { errnos, syscalls } from './numbers.ts';
import { families, MSG_FASTOPEN, protocols, socketTypes } from './sockets.ts';

/** `SOCK_TYPE_MASK`: above it are flags. */
const typeBits = 0xf;
const NETLINK_ROUTE = 0;
const PTRACE_ATTACH = 16;
const PTRACE_SEIZE = 0x4206;
const anyProtocol = 0;

/** @param localOnly sockets of IP are told like other kinds that a family may not have. */
export function familyFilter(localOnly = false): FilterPlan {
  const call = syscalls();
  return {
    notify: [
      ...[call.execve, call.execveat, call.setTidAddress, call.setRobustList, call.exitGroup].map(always),
      ...socketRules(localOnly),
      ...outsideRules(),
      // A session of its own takes a member out of its parent's reach.
      always(call.setsid),
      // A ring performs calls that no filter sees.
      always(call.ioUringSetup),
      // Entering namespaces that the family did not create would let a member leave it (THREATS 3).
      always(call.setns),
    ],
    refuse: new Map([
      [call.ioUringEnter, errnos.ENOSYS],
      [call.ioUringRegister, errnos.ENOSYS],
    ]),
  };
}

function always(number: number): TrapRule {
  return { call: number };
}

/** Everything that carries an address, and sockets of kinds whose addresses would go unseen. */
function socketRules(localOnly: boolean): TrapRule[] {
  const call = syscalls();
  const plain = { argument: 3, mask: MSG_FASTOPEN, equals: 0 } as const;
  return [
    { call: call.socket, unless: allowedSockets(localOnly) },
    always(call.connect),
    always(call.bind),
    always(call.listen),
    // `send(2)` is `sendto` without an address.
    { call: call.sendto, unless: [[{ argument: 4, equals: 0, wide: true }, plain]] },
    always(call.sendmsg),
    always(call.sendmmsg),
  ];
}

/** Unix, and TCP, UDP and ping over IP; of netlink only routes, which a C library asks for interfaces. */
function allowedSockets(localOnly: boolean): ArgumentTest[][] {
  const of = (family: number, type: number, protocol: number): ArgumentTest[] => [
    { argument: 0, equals: family },
    { argument: 1, mask: typeBits, equals: type },
    { argument: 2, equals: protocol },
  ];
  const { stream, datagram } = socketTypes;
  const inet = (family: number, ping: number): ArgumentTest[][] => [
    of(family, stream, anyProtocol),
    of(family, stream, protocols.tcp),
    of(family, datagram, anyProtocol),
    of(family, datagram, protocols.udp),
    of(family, datagram, ping),
  ];
  return [
    [{ argument: 0, equals: families.unix }],
    ...(localOnly ? [] : [...inet(families.inet, protocols.icmp), ...inet(families.inet6, protocols.icmp6)]),
    [
      { argument: 0, equals: families.netlink },
      { argument: 2, equals: NETLINK_ROUTE },
    ],
  ];
}

/** Calls on another process by its number. Without one, or with zero, they are on the caller itself. */
function outsideRules(): TrapRule[] {
  const call = syscalls();
  const self: ArgumentTest[] = [{ argument: 0, equals: 0 }];
  const ofWhich: ArgumentTest[] = [
    { argument: 0, equals: 0 },
    { argument: 1, equals: 0 },
  ];
  return [
    { call: call.kill, unless: [self] },
    always(call.rtSigqueueinfo),
    {
      call: call.ptrace,
      only: [PTRACE_ATTACH, PTRACE_SEIZE].map((request) => [{ argument: 0, equals: request }]),
    },
    always(call.processVmReadv),
    always(call.processVmWritev),
    // Reading limits changes nothing.
    { call: call.prlimit64, unless: [self, [{ argument: 2, equals: 0, wide: true }]] },
    { call: call.setpriority, unless: [ofWhich] },
    {
      call: call.ioprioSet,
      unless: [
        [
          { argument: 0, equals: 1 },
          { argument: 1, equals: 0 },
        ],
      ],
    },
    ...[
      call.schedSetscheduler,
      call.schedSetparam,
      call.schedSetattr,
      call.schedSetaffinity,
      call.migratePages,
      call.movePages,
    ].map((number) => ({ call: number, unless: [self] })),
  ];
}
