/** How a connection is named in sentences: on its card, to the agent, in the record. */
import type { ConnectionFacts } from '../facts.ts';
import { fileName } from '../identity/clientName.ts';
import { redact } from '../redaction/redact.ts';
import { destinationText } from '../transition/judgeConnection.ts';
import { visibleText } from './visible.ts';

type Place = Pick<ConnectionFacts, 'action' | 'transport' | 'endpoint' | 'host'>;

/** Where to, or where it waits: `build.example port 22`, `port 8080`, `/run/docker.sock`. Safe to show. */
export function connectionPlace({ action, transport, endpoint, host }: Place): string {
  if (endpoint.kind !== 'inet') return shown(destinationText(endpoint));
  if (transport === 'icmp') return shown(host ?? endpoint.address);
  if (action !== 'listen') return shown(destinationText(endpoint, host));
  return endpoint.port === 0 ? 'a port that the system chooses' : `port ${endpoint.port}`;
}

/** The script, or the program where there is none. */
export function actorName({ program }: Pick<ConnectionFacts, 'program'>): string {
  return fileName(program.script?.path ?? program.executable.path);
}

/** Hidden characters as tokens, what looks like a secret masked. */
export function shown(text: string): string {
  return visibleText(redact(text));
}
