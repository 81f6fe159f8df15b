/** The Network row of a connection's card: where it leads, how that is known, and who is there. */
import type { ConnectionFacts } from '../facts.ts';
import { destinationText } from '../transition/judgeConnection.ts';
import type { Service } from '../transition/services.ts';
import { placeOf, portWords } from './addressWords.ts';
import type { CardRow } from './cardShape.ts';
import { shown } from './connectionWords.ts';

export function networkOf(facts: ConnectionFacts, service: Service | undefined): CardRow {
  const { endpoint, action } = facts;
  const lines =
    endpoint.kind !== 'inet'
      ? local(facts, service)
      : action === 'listen'
        ? listening(facts)
        : reaching(facts);
  const warnings = warningsOf(facts, service);
  const value = [...lines, ...warnings].join('\n');
  return {
    label: 'Network',
    value,
    ...(warnings.length === 0 ? {} : { detail: { kind: 'warning', warnings } }),
  };
}

function reaching({ endpoint, host, transport, listener }: ConnectionFacts): string[] {
  if (endpoint.kind !== 'inet') return [];
  const address = shown(endpoint.address);
  const place = placeOf(endpoint.address);
  const words = place.kind === 'every network' ? 'which means this machine itself' : place.words;
  const where =
    host === undefined
      ? `${address}, ${words}; its arguments name no host for it`
      : `${shown(host)}, as its arguments name it; resolves to ${address}, ${words}`;
  const how = transport === 'icmp' ? 'ICMP' : `${transport.toUpperCase()} ${portWords(endpoint.port)}`;
  const isHere = place.kind === 'this machine' || place.kind === 'every network';
  return [`${where}.`, `${how}.`, ...whoListens(listener, isHere)];
}

function listening({ endpoint, transport }: ConnectionFacts): string[] {
  if (endpoint.kind !== 'inet') return [];
  const place = placeOf(endpoint.address);
  const address = shown(endpoint.address);
  const port = endpoint.port === 0 ? 'port, as the system chooses' : portWords(endpoint.port);
  let reach = `${address}: ${place.words}.`;
  if (place.kind === 'this machine') reach = `${address}: only programs of this machine can reach it.`;
  if (place.kind === 'every network')
    reach = `All addresses of this machine (${address}): whoever reaches this machine can reach it.`;
  return [reach, `${transport.toUpperCase()} ${port}.`];
}

function local({ endpoint, action, listener }: ConnectionFacts, service: Service | undefined): string[] {
  const path = shown(destinationText(endpoint));
  if (action === 'listen') return [`${path}, a socket of this machine.`];
  const what = service === undefined ? 'a socket of this machine' : `the socket of ${service.name}`;
  return [`${path}, ${what}.`, ...whoListens(listener, true)];
}

function whoListens(listener: string | undefined, isHere: boolean): string[] {
  if (listener !== undefined) return [`${shown(listener)} listens there, on this machine.`];
  return isHere ? ['Which program listens there could not be read.'] : [];
}

function warningsOf({ endpoint, action, host }: ConnectionFacts, service: Service | undefined): string[] {
  if (service !== undefined && action !== 'listen') return [service.reach];
  if (endpoint.kind !== 'inet' || action === 'listen') return [];
  const place = placeOf(endpoint.address);
  if (place.warning !== undefined) return [place.warning];
  // A name of the wide network that leads inside: how a web page's name is made to reach a local service.
  if (host?.includes('.') === true && !/^[\d.]+$/u.test(host) && place.kind === 'this machine')
    return ['The name leads to this machine itself.'];
  return [];
}
