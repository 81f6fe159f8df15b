/** `struct sockaddr` of the kinds a family may use: `ip(7)`, `ipv6(7)`, `unix(7)`. Pure. */
import { families } from '../../kernel/sockets.ts';

export type RawAddress =
  /** Undoes a datagram socket's connection: `connect(2)`. */
  | { readonly kind: 'unspecified' }
  /** Canonical text; an IPv4 address inside an IPv6 one is written as IPv4. */
  | { readonly kind: 'inet'; readonly address: string; readonly port: number }
  /** As given: relative to the caller's working directory, nothing resolved. Empty: an unnamed socket. */
  | { readonly kind: 'unix'; readonly path: Buffer }
  /** Its name without the leading NUL; bytes that are not UTF-8 as `\x..`. */
  | { readonly kind: 'abstract'; readonly name: string }
  | { readonly kind: 'other'; readonly family: number }
  | { readonly kind: 'malformed' };

export function parseAddress(bytes: Buffer): RawAddress {
  if (bytes.length < 2) return { kind: 'malformed' };
  const family = bytes.readUInt16LE(0);
  switch (family) {
    case families.unspecified:
      return { kind: 'unspecified' };
    case families.inet:
      if (bytes.length < 8) return { kind: 'malformed' };
      return { kind: 'inet', address: bytes.subarray(4, 8).join('.'), port: bytes.readUInt16BE(2) };
    case families.inet6:
      return bytes.length < 24 ? { kind: 'malformed' } : inet6(bytes);
    case families.unix:
      return unix(bytes.subarray(2));
    default:
      return { kind: 'other', family };
  }
}

function inet6(bytes: Buffer): RawAddress {
  const address = bytes.subarray(8, 24);
  const port = bytes.readUInt16BE(2);
  const isMapped = address.subarray(0, 10).every((byte) => byte === 0) && address.readUInt16BE(10) === 0xffff;
  if (isMapped) return { kind: 'inet', address: address.subarray(12).join('.'), port };
  const groups = Array.from({ length: 8 }, (_, index) => address.readUInt16BE(index * 2).toString(16));
  // The URL parser writes the canonical form of RFC 5952.
  const text = new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
  // The zone means something for link-local addresses only: RFC 4007.
  const zone =
    bytes.length >= 28 && (address.readUInt16BE(0) & 0xffc0) === 0xfe80 ? bytes.readUInt32LE(24) : 0;
  return { kind: 'inet', address: zone === 0 ? text : `${text}%${zone}`, port };
}

function unix(name: Buffer): RawAddress {
  if (name.length === 0 || name[0] !== 0) {
    const nul = name.indexOf(0);
    return { kind: 'unix', path: Buffer.from(nul === -1 ? name : name.subarray(0, nul)) };
  }
  const bytes = name.subarray(1);
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes)) return { kind: 'abstract', name: text };
  return { kind: 'abstract', name: bytes.toString('latin1').replaceAll(/[^\x20-\x7e]/gu, escaped) };
}

function escaped(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** `struct sockaddr_un` for a descriptor of this process: connecting there reaches the very file it was opened on. */
export function descriptorAddress(fd: number): Buffer {
  const path = Buffer.from(`/proc/self/fd/${fd}\0`);
  const bytes = Buffer.alloc(2 + path.length);
  bytes.writeUInt16LE(families.unix, 0);
  path.copy(bytes, 2);
  return bytes;
}
