/**
 * The suite speaks HTTP: this puts a stdio server on loopback, at a port of the kernel's choice, one process per
 * session.
 *
 * Its client runs one scenario after another and ends no session, so a new session ends the one before.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { readStat } from '../../src/watch/proc.ts';
import type { Key } from '../process/rig.ts';

/* oxlint-disable unicorn/prefer-add-event-listener -- the SDK’s transports know only `on…` */

class Session {
  readonly web: StreamableHTTPServerTransport;
  private readonly stdio: StdioClientTransport;
  /** Requests of the client that the server has not answered, in their order. */
  private readonly open = new Set<RequestId>();
  private process: Key | undefined;

  constructor(server: StdioServerParameters, opened: (id: string) => void) {
    this.web = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: opened,
    });
    this.stdio = new StdioClientTransport(server);
    this.web.onmessage = (message) => {
      if ('method' in message && 'id' in message) this.open.add(message.id);
      // Refused once the server has ended: the stream is closed then.
      this.stdio.send(message).catch(() => this.web.close());
    };
    this.stdio.onmessage = (message) => void this.fromServer(message);
    this.stdio.onclose = () => void this.web.close();
  }

  async start(): Promise<void> {
    await this.stdio.start();
    const pid = this.stdio.pid;
    const startTicks = pid === null ? undefined : readStat(pid)?.startTicks;
    if (pid !== null && startTicks !== undefined) this.process = { pid, startTicks };
    await this.web.start();
  }

  /** @returns the process that was started; undefined when it was gone at once. */
  async end(): Promise<Key | undefined> {
    await this.web.close();
    await this.stdio.close();
    return this.process;
  }

  /** What belongs to no answer goes out on the stream of the call that was made last. */
  private async fromServer(message: JSONRPCMessage): Promise<void> {
    const relatedRequestId = [...this.open].at(-1);
    const isAnswer = !('method' in message);
    if (isAnswer && message.id !== undefined) this.open.delete(message.id);
    const related = isAnswer || relatedRequestId === undefined ? undefined : { relatedRequestId };
    // A stream that the client has left takes no more.
    await this.web.send(message, related).catch(() => undefined);
  }
}

export class Bridge {
  private readonly sessions = new Map<string, Session>();
  private readonly ended: Promise<Key | undefined>[] = [];
  private current: Session | undefined;

  private constructor(
    private readonly http: Server,
    private readonly server: StdioServerParameters,
  ) {
    http.on('request', (request, response) => {
      this.answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async open(server: StdioServerParameters): Promise<Bridge> {
    const http = createServer();
    await new Promise<void>((done) => void http.listen(0, '127.0.0.1', done));
    return new Bridge(http, server);
  }

  get url(): string {
    return `http://${this.hosts[0]}/mcp`;
  }

  /** @returns every process that was started here; each has had its orderly end. */
  async close(): Promise<Key[]> {
    this.endCurrent();
    const keys = await Promise.all(this.ended);
    this.http.closeAllConnections();
    await new Promise((done) => void this.http.close(done));
    return keys.filter((key) => key !== undefined);
  }

  private get hosts(): readonly [string, string] {
    const { port } = this.http.address() as AddressInfo;
    return [`127.0.0.1:${port}`, `localhost:${port}`];
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = '', origin, 'mcp-session-id': id } = request.headers;
    const named = origin === undefined ? [host] : [host, new URL(origin).host];
    // A page of a name that was bound to loopback: "DNS rebinding" in the transport's specification.
    if (!named.every((name) => this.hosts.includes(name))) {
      response.writeHead(403, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const session = id === undefined ? await this.start() : this.sessions.get(String(id));
    if (session === undefined) response.writeHead(404).end();
    else await session.web.handleRequest(request, response);
  }

  private async start(): Promise<Session> {
    this.endCurrent();
    const session = new Session(this.server, (id) => this.sessions.set(id, session));
    this.current = session;
    await session.start();
    return session;
  }

  private endCurrent(): void {
    if (this.current !== undefined) this.ended.push(this.current.end());
    this.current = undefined;
  }
}
