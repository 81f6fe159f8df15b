/**
 * Sockets of other processes, worked on through duplicates: `pidfd_getfd(2)`, `connect(2)`, `sendmsg(2)`. A duplicate
 * shares its flags with the original, so nothing here ever changes them.
 */
import { addressOf, bind, errno, libc } from './libc.ts';
import { syscalls } from './numbers.ts';

const SOL_SOCKET = 1;
const SO_TYPE = 3;
const SO_PROTOCOL = 38;
const SO_DOMAIN = 39;
const SO_NETNS_COOKIE = 71;
const F_GETFL = 3;
const O_NONBLOCK = 0x800;
const SHUT_RDWR = 2;
/** `struct sockaddr_storage`: no address is longer. */
export const longestAddressBytes = 128;
export const MSG_DONTWAIT = 0x40;
export const MSG_FASTOPEN = 0x20000000;
/** A signal would be this process's own. */
const MSG_NOSIGNAL = 0x4000;

export const families = { unspecified: 0, unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
export const socketTypes = { stream: 1, datagram: 2, seqpacket: 5 } as const;
export const protocols = { icmp: 1, tcp: 6, udp: 17, icmp6: 58 } as const;

const calls = {
  connect: bind<[number, Buffer, number]>('int connect(int fd, void *address, unsigned int length)'),
  bind: bind<[number, Buffer, number]>('int bind(int fd, void *address, unsigned int length)'),
  listen: bind<[number, number]>('int listen(int fd, int backlog)'),
  getpeername: bind<[number, Buffer, Buffer]>('int getpeername(int fd, void *address, void *length)'),
  getsockname: bind<[number, Buffer, Buffer]>('int getsockname(int fd, void *address, void *length)'),
  sendmsg: bind<[number, Buffer, number]>('long sendmsg(int fd, void *message, int flags)'),
  shutdown: bind<[number, number]>('int shutdown(int fd, int how)'),
  fcntl: bind<[number, number, number]>('int fcntl(int fd, int command, long argument)'),
};

/** What a call returned: its value, or the errno it failed with. */
export type CallResult =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'errno'; readonly errno: number };

function resultOf(value: number): CallResult {
  return value < 0 ? { kind: 'errno', errno: errno() } : { kind: 'value', value };
}

/** A duplicate of another process's descriptor; the caller closes it. EBADF when it has none of that number. */
export function duplicateFrom(pidfd: number, fd: number): CallResult {
  return resultOf(libc.syscall(syscalls().pidfdGetfd, pidfd, fd, 0, 0, 0));
}

export interface SocketKind {
  readonly family: number;
  readonly type: number;
  readonly protocol: number;
}

/** ENOTSOCK for other descriptors. */
export function socketKind(fd: number): SocketKind | { readonly errno: number } {
  const family = option(fd, SO_DOMAIN);
  if (family === undefined) return { errno: errno() };
  return { family, type: option(fd, SO_TYPE) ?? 0, protocol: option(fd, SO_PROTOCOL) ?? 0 };
}

const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const TCP_SYN_SENT = 2;
const TCP_CLOSE = 7;

/**
 * What became of a connect that went on in the background. Read without taking anything from the socket: asking for its
 * error would clear it for the member.
 */
export function tcpOutcome(fd: number): 'connecting' | 'connected' | 'failed' {
  const info = Buffer.alloc(256);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(info.length);
  if (libc.getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, length) !== 0) return 'failed';
  // struct tcp_info begins with tcpi_state: tcp(7).
  if (info[0] === TCP_SYN_SENT) return 'connecting';
  return info[0] === TCP_CLOSE ? 'failed' : 'connected';
}

/** Tells network namespaces apart, for as long as the machine runs; undefined before Linux 5.14. */
export function networkOf(fd: number): bigint | undefined {
  const value = Buffer.alloc(8);
  const length = Buffer.from([8, 0, 0, 0]);
  return libc.getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, value, length) === 0
    ? value.readBigUInt64LE(0)
    : undefined;
}

function option(fd: number, name: number): number | undefined {
  const value = Buffer.alloc(4);
  const length = Buffer.from([4, 0, 0, 0]);
  return libc.getsockopt(fd, SOL_SOCKET, name, value, length) === 0 ? value.readInt32LE(0) : undefined;
}

/** May block for minutes on a socket that blocks: only on a thread kept for that. */
export function connectSocket(fd: number, address: Buffer): CallResult {
  return resultOf(calls.connect(fd, address, address.length));
}

export function bindSocket(fd: number, address: Buffer): CallResult {
  return resultOf(calls.bind(fd, address, address.length));
}

export function listenOn(fd: number, backlog: number): CallResult {
  return resultOf(calls.listen(fd, backlog));
}

/** The address a socket is bound to; undefined when it can't be told. */
export function boundAddress(fd: number): Buffer | undefined {
  return nameOf(fd, calls.getsockname);
}

/** The address that the other end was bound to when this one connected; undefined when it is not connected. */
export function peerAddress(fd: number): Buffer | undefined {
  return nameOf(fd, calls.getpeername);
}

function nameOf(
  fd: number,
  call: (fd: number, address: Buffer, length: Buffer) => number,
): Buffer | undefined {
  const address = Buffer.alloc(longestAddressBytes);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(address.length);
  if (call(fd, address, length) !== 0) return undefined;
  return address.subarray(0, Math.min(length.readUInt32LE(0), address.length));
}

export function isNonBlocking(fd: number): boolean {
  return (calls.fcntl(fd, F_GETFL, 0) & O_NONBLOCK) !== 0;
}

/** Ends a connect that another thread of this process waits in. */
export function shutDown(fd: number): void {
  calls.shutdown(fd, SHUT_RDWR);
}

export interface Datagram {
  /** Empty: none is given. */
  readonly address: Buffer;
  readonly payload: Buffer;
  /** Ancillary data as the caller laid it out; never descriptors. */
  readonly control: Buffer;
  readonly flags: number;
}

/** `sendmsg(2)`. Buffers of their own memory only: their addresses are handed to the kernel. */
export function sendDatagram(fd: number, { address, payload, control, flags }: Datagram): CallResult {
  // struct iovec, then struct msghdr: name, namelen, iov, iovlen, control, controllen, flags.
  const vector = Buffer.alloc(16);
  vector.writeBigUInt64LE(payload.length === 0 ? 0n : addressOf(payload), 0);
  vector.writeBigUInt64LE(BigInt(payload.length), 8);
  const message = Buffer.alloc(56);
  if (address.length > 0) {
    message.writeBigUInt64LE(addressOf(address), 0);
    message.writeUInt32LE(address.length, 8);
  }
  message.writeBigUInt64LE(addressOf(vector), 16);
  message.writeBigUInt64LE(1n, 24);
  if (control.length > 0) {
    message.writeBigUInt64LE(addressOf(control), 32);
    message.writeBigUInt64LE(BigInt(control.length), 40);
  }
  return resultOf(calls.sendmsg(fd, message, flags | MSG_NOSIGNAL));
}
