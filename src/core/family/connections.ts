/**
 * What one process connected to, as a list that stays short: folded by the desk and by each editor alike.
 * Pure: a list goes in, the next comes out.
 */
import type { Endpoint, SocketAction, Transport } from '../facts.ts';

/** As in `connection` on the desk's wire. */
export type ConnectionStep = 'held' | 'released' | 'refused' | 'done' | 'failed';

/** One destination, or one place that is listened on. The connection's end is not seen. */
export interface ConnectionSeen {
  readonly action: SocketAction;
  readonly transport: Transport;
  readonly endpoint: Endpoint;
  readonly host?: string;
  /** Of the last connection there. `connecting`: let go on, its outcome not known yet. */
  readonly state: 'held' | 'connecting' | 'open' | 'listening' | 'failed' | 'refused';
  /** Of its state: RFC 3339 UTC. */
  readonly since: string;
  /** With `failed`, as `errno(3)` names it. */
  readonly error?: string;
}

export type ConnectionEvent = Pick<ConnectionSeen, 'action' | 'transport' | 'endpoint' | 'host' | 'error'> & {
  readonly step: ConnectionStep;
};

/** Destinations of one process that are listed; older ones are counted. */
export const mostConnections = 20;

/** A process's part of a view. */
export interface Connected {
  readonly state: 'running' | 'held' | 'ended';
  readonly connections?: ConnectionSeen[];
  /** Destinations that are no longer listed. Absent: none. */
  readonly connectionsUnlisted?: number;
}

/** The newest stands last; what waits for an answer goes last. A process is held while one of its connections is. */
export function withConnection(
  before: Connected,
  { step, action, transport, endpoint, host, error }: ConnectionEvent,
  at: string,
): Connected {
  const seen: ConnectionSeen = {
    action,
    transport,
    endpoint,
    ...(host === undefined ? {} : { host }),
    state: stateOf(step, action, transport),
    since: at,
    ...(step === 'failed' && error !== undefined ? { error } : {}),
  };
  const key = placeKey(seen);
  const earlier = before.connections ?? [];
  const others = earlier.filter((other) => placeKey(other) !== key);
  const isSurplus = others.length >= mostConnections;
  const dropped = isSurplus ? (others.find(({ state }) => state !== 'held') ?? others[0]) : undefined;
  const connections = [...others.filter((other) => other !== dropped), seen];
  const unlisted = (before.connectionsUnlisted ?? 0) + (isSurplus ? 1 : 0);
  const wasHeld = earlier.some((other) => other.state === 'held' && placeKey(other) === key);
  return {
    state: processState(before.state, connections, wasHeld),
    connections,
    ...(unlisted === 0 ? {} : { connectionsUnlisted: unlisted }),
  };
}

function processState(
  before: Connected['state'],
  connections: readonly ConnectionSeen[],
  wasHeld: boolean,
): Connected['state'] {
  if (before === 'ended') return before;
  if (connections.at(-1)?.state === 'held') return 'held';
  return wasHeld && connections.every(({ state }) => state !== 'held') ? 'running' : before;
}

function stateOf(step: ConnectionStep, action: SocketAction, transport: Transport): ConnectionSeen['state'] {
  if (step === 'held' || step === 'refused' || step === 'failed') return step;
  if (action === 'listen') return 'listening';
  // What is sent without a connection has no outcome that anybody could wait for.
  return step === 'done' || transport === 'udp' || transport === 'icmp' ? 'open' : 'connecting';
}

function placeKey({ action, transport, endpoint, host }: ConnectionSeen): string {
  const where =
    endpoint.kind === 'inet'
      ? [endpoint.address, endpoint.port]
      : endpoint.kind === 'unix'
        ? [endpoint.path]
        : ['@', endpoint.name];
  return JSON.stringify([action, transport, host, where]);
}
