/** What is at the other end of a socket call: the family itself, a configured resolver, nobody, or somebody outside. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { getServers } from 'node:dns';
import type { OtherEnd } from '../core/transition/judgeConnection.ts';
import { holderOf, inetSockets, unixSockets } from '../watch/netTables.ts';
import type { HeldSocket } from '../watch/seccomp/heldSockets.ts';
import type { MemberSocket } from '../watch/seccomp/memberSocket.ts';

const dnsPort = 53;

export class OtherEnds {
  /** Sockets that members serve, by the kernel's number. */
  private readonly served = new Map<string, bigint | undefined>();

  serves({ inode, network }: Pick<MemberSocket, 'inode' | 'network'>): void {
    this.served.set(inode, network);
  }

  of({ action, transport, endpoint, member, network }: HeldSocket): OtherEnd {
    if (action === 'listen') return 'outside';
    switch (endpoint.kind) {
      case 'inet': {
        const { address, port } = endpoint;
        // No datagram reaches port 0: a C library asks the kernel which source address it would use.
        if (action === 'connect' && transport === 'udp' && port === 0) return 'no traffic';
        if (port === dnsPort && resolvers().includes(address)) return 'configured resolver';
        if (transport === 'icmp' || !isOfThisMachine(address)) return 'outside';
        const inodes = inetSockets(member.pid, transport === 'udp' ? 'udp' : 'tcp', address, port);
        if (this.servesAll(inodes, network)) return 'own family';
        return inodes.length === 0 && transport === 'tcp' ? 'nobody' : 'outside';
      }
      case 'unix':
        // A datagram's receiver cannot be asked who made it; a listener's can, once it is reached.
        return action === 'connect' && this.servesAll(unixSockets(member.pid, endpoint.path), network)
          ? 'own family'
          : 'outside';
      case 'abstract': {
        const inodes = unixSockets(member.pid, `@${endpoint.name}`);
        if (inodes.length === 0) return 'nobody';
        return this.servesAll(inodes, network) ? 'own family' : 'outside';
      }
    }
  }

  /**
   * Every socket that could be meant is the family's, in the network of the calling socket: which of several a
   * connection reaches is not known, and a member may have moved to another network since it made its socket.
   */
  private servesAll(inodes: readonly string[], network: bigint | undefined): boolean {
    if (inodes.length === 0 || network === undefined) return false;
    return inodes.every((inode) => this.served.get(inode) === network);
  }
}

/** Of `/etc/resolv.conf`; a local forwarder's own upstreams are not asked by members. */
function resolvers(): string[] {
  try {
    const text = readFileSync('/etc/resolv.conf', 'utf8');
    const listed = [...text.matchAll(/^nameserver\s+(\S+)/gmu)].map((match) => match[1] ?? '');
    return listed.length > 0 ? listed : ['127.0.0.1'];
  } catch {
    return getServers();
  }
}

function isOfThisMachine(address: string): boolean {
  if (address.startsWith('127.') || address === '::1' || address === '0.0.0.0' || address === '::')
    return true;
  const bare = address.split('%')[0];
  return Object.values(networkInterfaces()).some((list) => list?.some((entry) => entry.address === bare));
}

/** The program that would be reached on this machine; undefined when none would, or it can't be told. */
export async function listenerOf({
  action,
  transport,
  endpoint,
  member,
}: HeldSocket): Promise<string | undefined> {
  if (action === 'listen') return undefined;
  if (endpoint.kind === 'unix') return holderOf(unixSockets(member.pid, endpoint.path));
  if (endpoint.kind !== 'inet' || transport === 'icmp') return undefined;
  return holderOf(
    inetSockets(member.pid, transport === 'udp' ? 'udp' : 'tcp', endpoint.address, endpoint.port),
  );
}
