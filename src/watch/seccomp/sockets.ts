/**
 * Socket calls of members: what each would do is read from a duplicate of the socket and from the caller's memory
 * once, and performed on the duplicate with what was read. What carries an address is not answered CONTINUE, since
 * the caller could change it behind the answer (THREATS 2); the exceptions are counted.
 */
import type { Answer, Listener, Notification } from '../../kernel/listener.ts';
import type { TargetMemory } from '../../kernel/memory.ts';
import { errnos, syscalls } from '../../kernel/numbers.ts';
import {
  bindSocket,
  boundAddress,
  connectSocket,
  families,
  listenOn,
  longestAddressBytes,
  MSG_FASTOPEN,
  peerAddress,
  shutDown,
  socketTypes,
} from '../../kernel/sockets.ts';
import { peerCredentials } from '../../kernel/peer.ts';
import { parseAddress } from './address.ts';
import { Datagrams, flagsOf, type Performer } from './datagrams.ts';
import { type Destination, destinationOf } from './destination.ts';
import { type HeldSocket, HeldSockets, type SocketEvents } from './heldSockets.ts';
import type { Member } from './members.ts';
import { openMemberSocket, type MemberSocket } from './memberSocket.ts';

export class SocketCalls {
  private readonly datagrams: Datagrams;
  private readonly calls: HeldSockets;

  constructor(
    private readonly listener: Listener,
    private readonly memory: TargetMemory,
    private readonly performer: Performer,
    private readonly events: SocketEvents,
    /** No socket of IP at all: the filter tells each, and each is refused. */
    private readonly localOnly: boolean,
  ) {
    this.datagrams = new Datagrams(memory, performer);
    this.calls = new HeldSockets(listener, events);
  }

  /** False when the call is none of a socket's. */
  handle(notification: Notification, member: Member): boolean {
    const call = syscalls();
    switch (notification.call) {
      case call.socket:
        this.socket(notification, member);
        return true;
      case call.connect:
        this.connect(notification, member);
        return true;
      case call.bind:
        this.bind(notification, member);
        return true;
      case call.listen:
        this.listen(notification, member);
        return true;
      case call.sendto:
      case call.sendmsg:
      case call.sendmmsg:
        this.send(notification, member);
        return true;
      default:
        return false;
    }
  }

  isHeld(held: HeldSocket): boolean {
    return this.calls.isHeld(held);
  }

  release(held: HeldSocket): void {
    this.calls.release(held);
  }

  refuse(held: HeldSocket, errno: number = errnos.EACCES): void {
    this.calls.refuse(held, errno);
  }

  /** Before the thread ends. */
  close(): void {
    this.calls.close();
  }

  /** A member has ended: what it waited for, and what is being done for it, is given up. */
  ended(member: Member): void {
    this.calls.ended(member);
  }

  /** Only kinds that a family may not have are told. */
  private socket({ id, arguments: args }: Notification, member: Member): void {
    const [family, type = 0, protocol] = args.slice(0, 3).map((value) => Number(value & 0xffffffffn));
    const isInet = family === families.inet || family === families.inet6;
    const what = `a socket of family ${family}, type ${type & 0xf}, protocol ${protocol}`;
    if (isInet && this.localOnly) {
      this.fail(id, errnos.EACCES);
      return this.events.refused(member, 'local only', what);
    }
    this.fail(id, isInet || family === families.netlink ? errnos.EPROTONOSUPPORT : errnos.EAFNOSUPPORT);
    // The kernel's own news, of devices for instance: a program goes on without them, and so does what it was asked for.
    if (family === families.netlink) return this.events.unneeded(member, 'kind of socket', what);
    return this.events.refused(member, 'kind of socket', what);
  }

  private connect(notification: Notification, member: Member): void {
    const address = this.address(notification, member);
    const socket = address && this.open(notification, member);
    if (address === undefined || socket === undefined) return;
    const { kind, fd } = socket;
    if (parseAddress(address).kind === 'unspecified' || kind.family === families.netlink) {
      // Undoing a connection, and routes: neither blocks nor reaches anybody.
      return this.calls.now(notification.id, socket, () => connectSocket(fd, address));
    }
    const destination = this.destination(notification, socket, address);
    if (destination === undefined) return;
    const held = this.calls.hold(notification, member, socket, 'connect', destination, async () => {
      const answer = await this.performer.connect(fd, destination.address);
      if (answer.kind !== 'value' || destination.endpoint.kind !== 'unix') return answer;
      // The file may have been moved or linked there: what was bound tells which service it is.
      const bound = parseAddress(peerAddress(fd) ?? Buffer.alloc(0));
      const path = bound.kind === 'unix' ? bound.path.toString('utf8') : '';
      if (this.events.mayReach(held, path, peerCredentials(fd).pid)) return answer;
      shutDown(fd);
      return { kind: 'errno', errno: errnos.EACCES };
    });
    this.events.held(held);
  }

  private bind(notification: Notification, member: Member): void {
    const address = this.address(notification, member);
    const socket = address && this.open(notification, member);
    if (address === undefined || socket === undefined) return;
    const { kind, fd } = socket;
    if (kind.family === families.unix) {
      // It makes a file as the caller would: with its own working directory, mask and root.
      socket.close();
      this.events.serves(socket);
      this.listener.answer(notification.id, { kind: 'continue' });
      return;
    }
    const raw = parseAddress(address);
    const isServer = kind.type === socketTypes.datagram && raw.kind === 'inet' && raw.port !== 0;
    if (!isServer) return this.calls.now(notification.id, socket, () => bindSocket(fd, address));
    const destination = this.destination(notification, socket, address);
    if (destination === undefined) return;
    const held = this.calls.hold(notification, member, socket, 'listen', destination, () => {
      const answer = bindSocket(fd, address);
      if (answer.kind === 'value') this.events.serves(socket);
      return answer;
    });
    this.events.held(held);
  }

  private listen(notification: Notification, member: Member): void {
    const socket = this.open(notification, member);
    if (socket === undefined) return;
    const { fd, kind } = socket;
    const backlog = Number(BigInt.asIntN(32, notification.arguments[1]));
    const listen = (): Answer => {
      const answer = listenOn(fd, backlog);
      if (answer.kind === 'value') this.events.serves(socket);
      return answer;
    };
    if (kind.family === families.unix) return this.calls.now(notification.id, socket, listen);
    const address = boundAddress(fd) ?? Buffer.alloc(0);
    const destination = this.destination(notification, socket, address);
    if (destination === undefined) return;
    this.events.held(this.calls.hold(notification, member, socket, 'listen', destination, listen));
  }

  private send(notification: Notification, member: Member): void {
    const { id } = notification;
    if ((flagsOf(notification) & MSG_FASTOPEN) !== 0) {
      this.fail(id, errnos.EOPNOTSUPP);
      return this.events.refused(member, 'TCP fast open', 'a first packet with data');
    }
    const message = this.datagrams.read(notification, member.pid);
    if (message.kind === 'without address') {
      this.listener.answer(id, { kind: 'continue' });
      return;
    }
    if (message.kind === 'failed') return this.fail(id, message.errno);
    const socket = this.open(notification, member);
    if (socket === undefined) return;
    const { kind, fd } = socket;
    if (kind.type !== socketTypes.datagram || kind.family === families.netlink) {
      // A stream goes where it was connected, and routes stay in the kernel: the address changes nothing.
      const perform = (): Promise<Answer> =>
        this.datagrams.send(fd, member.pid, message, message.address, kind.type !== socketTypes.datagram);
      return this.calls.now(id, socket, message.isWhole ? perform : goOn);
    }
    const destination = this.destination(notification, socket, message.address);
    if (destination === undefined) return;
    // Descriptors that travel along can only be sent by the caller itself.
    if (!message.isWhole) this.events.gap('datagrams judged, not pinned');
    const perform = (): Promise<Answer> =>
      this.datagrams.send(fd, member.pid, message, destination.address, false);
    const how = message.isWhole ? perform : goOn;
    this.events.held(this.calls.hold(notification, member, socket, 'send', destination, how));
  }

  /** Second and third argument of `connect(2)` and `bind(2)`. Undefined: answered. */
  private address({ id, arguments: args }: Notification, member: Member): Buffer | undefined {
    const length = Number(BigInt.asIntN(32, args[2]));
    if (length < 2 || length > longestAddressBytes) {
      this.fail(id, errnos.EINVAL);
      return undefined;
    }
    const bytes = this.memory.readBytes(member.pid, args[1], length);
    if (bytes === undefined) this.fail(id, errnos.EFAULT);
    return bytes;
  }

  /** Undefined: answered. */
  private open(notification: Notification, member: Member): MemberSocket | undefined {
    if (this.calls.isFull()) {
      this.fail(notification.id, errnos.EAGAIN);
      this.events.gap('socket calls refused, too many waited');
      return undefined;
    }
    const opened = openMemberSocket(notification, member);
    if ('errno' in opened) {
      this.fail(notification.id, opened.errno);
      if (opened.errno === errnos.EACCES)
        this.events.refused(member, 'address unreadable', 'a socket that could not be read');
      return undefined;
    }
    // What was read belongs to this caller only if it still waits.
    if (this.listener.isValid(notification.id)) return opened;
    opened.close();
    return undefined;
  }

  /** Undefined: answered, and the socket closed. */
  private destination(
    notification: Notification,
    socket: MemberSocket,
    address: Buffer,
  ): Destination | undefined {
    const found = destinationOf(notification.tid, socket, address);
    if (!('errno' in found)) return found;
    this.fail(notification.id, found.errno);
    socket.close();
    return undefined;
  }

  private fail(id: bigint, errno: number): void {
    this.listener.answer(id, { kind: 'errno', errno });
  }
}

function goOn(): Answer {
  return { kind: 'continue' };
}
