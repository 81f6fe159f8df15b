/** Is this connection one of the moments that need a person? Pure: DESIGN §3, transition 2. */
import { placeOf } from '../consequence/addressWords.ts';
import type { ConnectionFacts, Endpoint } from '../facts.ts';
import type { Rule } from './rules.ts';
import type { SocketMeaning } from './services.ts';

/** What is known of the other end. */
export type OtherEnd =
  /** A socket that a member of this family listens on. */
  | 'own family'
  /** A name server that this machine is configured to ask, on its port. */
  | 'configured resolver'
  /** Nothing can be sent there: how a C library finds out which of its addresses would be used. */
  | 'no traffic'
  /** Nobody is there: the call fails by itself. */
  | 'nobody'
  | 'outside';

export interface ConnectionLook {
  readonly endpoint: Endpoint;
  readonly otherEnd: OtherEnd;
  /** Of a unix socket's path; absent for others. */
  readonly meaning?: SocketMeaning;
  /** Which program and where to: {@link destinationKey} with the program's identity. */
  readonly key: string;
}

export interface ConnectionState {
  readonly ending: boolean;
  /** The family is kept to this machine's own processes: no network at all. */
  readonly localOnly: boolean;
  /** Programs and destinations allowed for the session. */
  readonly allowed: ReadonlySet<string>;
}

export type ConnectionJudgement =
  | {
      readonly kind: 'release';
      readonly because:
        | 'own family'
        | 'configured resolver'
        | 'no traffic'
        | 'nobody is there'
        | 'allowed for this session';
    }
  | { readonly kind: 'ask' }
  | { readonly kind: 'refuse'; readonly rule: Rule };

export function judgeConnection(look: ConnectionLook, state: ConnectionState): ConnectionJudgement {
  if (state.ending) return { kind: 'refuse', rule: 'family is ending' };
  if (look.meaning?.kind === 'forbidden') return { kind: 'refuse', rule: look.meaning.rule };
  if (state.localOnly && look.endpoint.kind === 'inet') return { kind: 'refuse', rule: 'local only' };
  switch (look.otherEnd) {
    case 'own family':
    case 'configured resolver':
    case 'no traffic':
      return { kind: 'release', because: look.otherEnd };
    case 'nobody':
      return { kind: 'release', because: 'nobody is there' };
    case 'outside':
      break;
  }
  // Landlock keeps members from these; performed by another process, the call would go around it.
  if (look.endpoint.kind === 'abstract')
    return { kind: 'refuse', rule: 'abstract socket outside the family' };
  return state.allowed.has(look.key)
    ? { kind: 'release', because: 'allowed for this session' }
    : { kind: 'ask' };
}

/** Where a grant leads: a host as named, or the address; the same for TCP and UDP, since one name is tried by both. */
export function destinationKey({
  action,
  endpoint,
  host,
}: Pick<ConnectionFacts, 'action' | 'endpoint' | 'host'>): string {
  const direction = action === 'listen' ? 'listen' : 'to';
  if (endpoint.kind === 'inet') {
    // A name that was shown leading to the wide network must not lead to this machine by the same answer.
    const where = host === undefined ? endpoint.address : `${host} (${placeOf(endpoint.address).kind})`;
    return `${direction} ${where} ${endpoint.port}`;
  }
  return endpoint.kind === 'unix' ? `${direction} ${endpoint.path}` : `${direction} @${endpoint.name}`;
}

/** The destination as a person reads it: `build.example port 22`, `/run/docker.sock`. */
export function destinationText(endpoint: Endpoint, host?: string): string {
  switch (endpoint.kind) {
    case 'inet':
      return `${host ?? endpoint.address} port ${endpoint.port}`;
    case 'unix':
      return endpoint.path;
    case 'abstract':
      return `@${endpoint.name}`;
  }
}
