/** What an IP address says about where it leads, in words for a card. */

export interface AddressPlace {
  readonly kind: 'this machine' | 'every network' | 'private' | 'link-local' | 'group' | 'public';
  /** "a private address: your own network". */
  readonly words: string;
  /** What a person should know before anything is sent there; absent when there is nothing special. */
  readonly warning?: string;
}

const thisMachine: AddressPlace = { kind: 'this machine', words: 'this machine itself' };
const everyNetwork: AddressPlace = {
  kind: 'every network',
  words: 'every network that this machine is on',
};
const inPrivate: AddressPlace = { kind: 'private', words: 'a private address: your own network' };
const shared: AddressPlace = { kind: 'private', words: 'a private address: the provider’s own network' };
const linkLocal: AddressPlace = {
  kind: 'link-local',
  words: 'a link-local address: machines on the same cable or radio network',
};
const group: AddressPlace = { kind: 'group', words: 'a group address: every machine that listens to it' };
const inPublic: AddressPlace = { kind: 'public', words: 'a public address' };
const metadata: AddressPlace = {
  kind: 'link-local',
  words: 'a link-local address: the machine’s own host',
  warning: 'On rented machines this address hands out the machine’s credentials.',
};

const metadataAddresses = new Set(['169.254.169.254', '169.254.170.2', 'fd00:ec2::254', '100.100.100.200']);

/** @param address canonical text, an IPv6 zone behind `%`. Ranges: IANA's special-purpose address registries. */
export function placeOf(address: string): AddressPlace {
  const plain = address.split('%')[0]?.toLowerCase() ?? '';
  const text = mappedAddress(plain) ?? plain;
  if (metadataAddresses.has(text)) return metadata;
  return text.includes(':') ? placeOf6(text) : placeOf4(text);
}

/** The IPv4 address that an IPv4-mapped one stands for (RFC 4291, 2.5.5.2), in either way of writing it. */
function mappedAddress(text: string): string | undefined {
  const match = /^::ffff:(?:(?<dotted>[\d.]+)|(?<high>[\da-f]{1,4}):(?<low>[\da-f]{1,4}))$/u.exec(
    text,
  )?.groups;
  if (match === undefined) return undefined;
  if (match['dotted'] !== undefined) return match['dotted'];
  const words = [match['high'], match['low']].map((word) => Number.parseInt(word ?? '', 16));
  return words.flatMap((word) => [word >> 8, word & 0xff]).join('.');
}

function placeOf4(text: string): AddressPlace {
  const [first = 0, second = 0] = text.split('.').map(Number);
  if (text === '0.0.0.0') return everyNetwork;
  if (first === 127) return thisMachine;
  if (first === 10 || (first === 192 && second === 168) || (first === 172 && second >= 16 && second <= 31))
    return inPrivate;
  if (first === 100 && second >= 64 && second <= 127) return shared;
  if (first === 169 && second === 254) return linkLocal;
  return first >= 224 && (first <= 239 || text === '255.255.255.255') ? group : inPublic;
}

function placeOf6(text: string): AddressPlace {
  if (text === '::') return everyNetwork;
  if (text === '::1') return thisMachine;
  const first = text.startsWith('::') ? 0 : Number.parseInt(text, 16);
  if ((first & 0xfe00) === 0xfc00) return inPrivate;
  if ((first & 0xffc0) === 0xfe80) return linkLocal;
  return (first & 0xff00) === 0xff00 ? group : inPublic;
}

/** What usually answers on a port. Absent for all others; it is a habit, not a fact. */
const usual: ReadonlyMap<number, string> = new Map([
  [22, 'SSH'],
  [25, 'mail'],
  [53, 'name lookups'],
  [80, 'HTTP'],
  [443, 'HTTPS'],
  [445, 'file sharing'],
  [587, 'mail'],
  [2375, 'Docker'],
  [2376, 'Docker'],
  [3306, 'MySQL'],
  [3389, 'remote desktop'],
  [5432, 'PostgreSQL'],
  [6379, 'Redis'],
  [9418, 'Git'],
  [27017, 'MongoDB'],
]);

/** `port 22, usually SSH`. */
export function portWords(port: number): string {
  const what = usual.get(port);
  return what === undefined ? `port ${port}` : `port ${port}, usually ${what}`;
}
