/** What a process connects to: badges under its row, a list in its details. */
import { html, type TemplateResult } from 'lit';
import type { ConnectionSeen } from '../src/core/family/connections.ts';
import { visibleText } from '../src/core/consequence/visible.ts';
import type { ProcessView } from '../src/protocol/desk.ts';
import type { Fact } from './drawerFacts.ts';
import { icon, type IconName, type Tone } from './icons.ts';
import { baseName, count, data } from './text.ts';
import { clockTime } from './time.ts';

/** More places than this are counted under a row; the details list them. */
const shownBadges = 2;

/** What needs a look comes first. */
const order: readonly ConnectionSeen['state'][] = [
  'held',
  'refused',
  'listening',
  'open',
  'connecting',
  'failed',
];

/** Raw: `build.example:22`, `[2001:db8::7]:443`, `:8080` where it listens everywhere, a socket's path. */
export function placeText({ action, transport, endpoint, host }: ConnectionSeen): string {
  if (endpoint.kind === 'unix') return endpoint.path;
  if (endpoint.kind === 'abstract') return `@${endpoint.name}`;
  const { address, port } = endpoint;
  if (transport === 'icmp') return host ?? address;
  const written = port === 0 ? 'any port' : String(port);
  if (action === 'listen' && (address === '0.0.0.0' || address === '::')) return `:${written}`;
  return `${host ?? (address.includes(':') ? `[${address}]` : address)}:${written}`;
}

function iconOf({ action, endpoint, state }: ConnectionSeen): IconName {
  if (state === 'refused') return 'slash';
  if (action === 'listen') return 'listen';
  return endpoint.kind === 'inet' ? 'network' : 'container';
}

const badgeLooks: Readonly<Record<ConnectionSeen['state'], { readonly look: string; readonly tone: Tone }>> =
  {
    held: { look: 'info', tone: 'info' },
    refused: { look: 'err', tone: 'error' },
    listening: { look: '', tone: 'quiet' },
    open: { look: '', tone: 'quiet' },
    connecting: { look: '', tone: 'quiet' },
    failed: { look: '', tone: 'quiet' },
  };

/** For readers; eyes have the icon. */
function spoken({ state, action }: ConnectionSeen): string {
  if (state === 'held') return 'waits to reach ';
  if (state === 'refused') return action === 'listen' ? 'refused to listen on ' : 'refused to reach ';
  if (state === 'listening') return 'listens on ';
  return state === 'failed' ? 'could not reach ' : 'connected to ';
}

export function connectionBadges({
  connections = [],
  connectionsUnlisted = 0,
}: ProcessView): TemplateResult[] {
  const ordered = order.flatMap((state) => connections.filter((each) => each.state === state).toReversed());
  const badges = ordered.slice(0, shownBadges).map((each) => {
    const { look, tone } = badgeLooks[each.state];
    const place = placeText(each);
    const short = each.endpoint.kind === 'unix' ? baseName(place) : place;
    return html`<span class="badge place ${look}" title=${`${stateWords(each)} ${visibleText(place)}`}
      >${icon(iconOf(each), tone)}<span class="vh">${spoken(each)}</span
      ><span class="ellip ${each.state === 'failed' ? 'gone' : ''}">${data(short)}</span></span
    >`;
  });
  const more = ordered.length - badges.length + connectionsUnlisted;
  if (more > 0) badges.push(html`<span class="badge">+${more} more</span>`);
  return badges;
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'no way to that machine',
  ENETUNREACH: 'no way to that network',
  EADDRINUSE: 'the port is taken',
  ENOENT: 'no such socket',
  EACCES: 'no permission',
};

/** "connected", "listening", "failed: nothing answers there (ECONNREFUSED)". */
function stateWords({ state, error, action, transport }: ConnectionSeen): string {
  switch (state) {
    case 'held':
      return 'waits for you since';
    case 'connecting':
      return 'connecting since';
    case 'open':
      return action === 'send' || transport === 'udp' || transport === 'icmp' ? 'sent' : 'connected';
    case 'listening':
      return 'listening since';
    case 'refused':
      return 'refused';
    case 'failed': {
      if (error === undefined) return 'failed';
      const words = failures[error];
      return `failed, ${words === undefined ? error : `${words} (${error})`},`;
    }
  }
}

/** Undefined when it connected to nothing. */
export function connectionFact({ connections = [], connectionsUnlisted = 0 }: ProcessView): Fact | undefined {
  if (connections.length === 0) return undefined;
  const lines = connections.toReversed();
  const unlisted =
    connectionsUnlisted === 0
      ? ''
      : `${count(connectionsUnlisted, 'older place')} not listed; the record has them.`;
  return {
    label: 'Sockets',
    body: html`<ul class="sockets">
        ${lines.map(
          (each) =>
            html`<li>
              ${icon(iconOf(each), badgeLooks[each.state].tone)}<span
                ><code>${data(placeText(each))}</code>${behindName(each)}
                <span class=${each.state === 'refused' ? 'err-t' : 'quiet'}
                  >${stateWords(each)} <span class="num">${clockTime(each.since)}</span> UTC</span
                ></span
              >
            </li>`,
        )}
      </ul>
      ${unlisted === '' ? '' : html`<p class="sub"><span>${unlisted}</span></p>`}`,
    text: lines
      .map(
        (each) => `\n  ${visibleText(placeText(each))} ${each.transport}, ${stateWords(each)} ${each.since}`,
      )
      .concat(unlisted === '' ? [] : [`\n  ${unlisted}`])
      .join(''),
  };
}

/** The address behind a name, and the transport where it is not the usual one. */
function behindName({ endpoint, host, transport }: ConnectionSeen): TemplateResult {
  const behind = host !== undefined && endpoint.kind === 'inet' ? [data(endpoint.address)] : [];
  const kind = transport === 'udp' || transport === 'icmp' ? [transport.toUpperCase()] : [];
  const notes = [...behind, ...kind];
  return html`${notes.map((note) => html` <span class="quiet">${note}</span>`)}`;
}
