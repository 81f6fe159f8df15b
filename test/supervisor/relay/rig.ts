/** A relay between four in-memory pipes, with the test at both outer ends. */
import { PassThrough, type Readable } from 'node:stream';
import { LineCutter } from '../../../src/protocol/lines.ts';
import { Relay, type RelayEvents, type RelayOptions } from '../../../src/supervisor/relay/relay.ts';

/** Lines of a stream, one at a time. */
export class Lines {
  private readonly cutter = new LineCutter(1 << 30);
  private readonly ready: Buffer[] = [];
  private takers: ((line: Buffer | undefined) => void)[] = [];
  private ended = false;

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => {
      for (const event of this.cutter.push(chunk)) {
        if (event.kind !== 'line') continue;
        const taker = this.takers.shift();
        if (taker === undefined) this.ready.push(event.bytes);
        else taker(event.bytes);
      }
    });
    stream.on('end', () => {
      this.ended = true;
      for (const taker of this.takers) taker(undefined);
      this.takers = [];
    });
  }

  /** `undefined` at the end. */
  bytes(): Promise<Buffer | undefined> {
    const line = this.ready.shift();
    if (line !== undefined || this.ended) return Promise.resolve(line);
    return new Promise((resolve) => this.takers.push(resolve));
  }

  async text(): Promise<string | undefined> {
    return (await this.bytes())?.toString('utf8');
  }

  /** Fails when a line comes that is not this one. */
  async json(): Promise<Record<string, any>> {
    return JSON.parse((await this.text()) ?? 'null');
  }
}

export function rig(options: Partial<RelayOptions> & { attached?: boolean } = {}) {
  const { attached = true, ...rest } = options;
  const clientIn = new PassThrough();
  const clientOut = new PassThrough();
  const serverIn = new PassThrough();
  const serverOut = new PassThrough();
  const log: string[] = [];
  const requests: Parameters<RelayEvents['request']>[0][] = [];
  const faults: string[] = [];
  const events: RelayEvents = {
    request: (request) => {
      requests.push(request);
      log.push(`request ${request.number} ${request.method}`);
    },
    result: (number, outcome) => log.push(`result ${number} ${outcome}`),
    claims: (name, version) => log.push(`claims ${name} ${version}`),
    initialized: () => log.push('initialized'),
    clientEnded: () => log.push('client ended'),
    fault: (text) => faults.push(text),
  };
  const relay = new Relay({ clientIn, clientOut, events, ...rest });
  const attach = (): void => relay.attach(serverIn, serverOut);
  if (attached) attach();
  let probes = 0;
  const client = new Lines(clientOut);
  const server = new Lines(serverIn);
  return {
    relay,
    clientIn,
    clientOut,
    serverIn,
    serverOut,
    /** What the client and the server get. */
    client,
    server,
    log,
    requests,
    faults,
    attach,
    /** From the client. */
    say: (text: string | Buffer) => clientIn.write(Buffer.isBuffer(text) ? text : `${text}\n`),
    /** From the server. */
    reply: (text: string | Buffer) => serverOut.write(Buffer.isBuffer(text) ? text : `${text}\n`),
    /** The next line that the server gets is one sent after everything before: so nothing else was passed. */
    async serverGotNothing(): Promise<boolean> {
      const probe = `{"method":"probe/${++probes}"}`;
      clientIn.write(`${probe}\n`);
      return (await server.text()) === probe;
    },
    async clientGotNothing(): Promise<boolean> {
      const probe = `{"method":"probe/${++probes}"}`;
      serverOut.write(`${probe}\n`);
      return (await client.text()) === probe;
    },
  };
}

export const call = (id: string, name: string, rest = ''): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"${rest}}}`;
export const answer = (id: string, result = '{}'): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
export const initialize = (version: string): string =>
  `{"method":"initialize","params":{${version === '' ? '' : `"protocolVersion":"${version}",`}"capabilities":{"x-new":{}},"clientInfo":{"name":"Visual Studio Code","version":"1.2"}},"jsonrpc":"2.0","id":0}`;
export const cancel = (id: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;
export const ping = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
