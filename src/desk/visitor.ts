/** A connection from accept to its role: who it is, hello, the peer rules, enrolment. */
import type { Socket } from 'node:net';
import type { z } from 'zod';
import { peerCredentials } from '../kernel/peer.ts';
import {
  protocolVersion,
  type Refused,
  type Role,
  type Rule,
  role as roles,
  toDesk,
} from '../protocol/desk.ts';
import { fromSupervisor } from '../protocol/supervisor.ts';
import { readExe } from '../watch/proc.ts';
import { Connection, type ConnectionListener } from './connection.ts';
import { describeMismatch } from './malformed.ts';
import { judgePeer, type KnownProcesses, type Peer, type PeerVerdict, type ProcessTable } from './peer.ts';
import type { Refusals } from './refusals.ts';
import type { RoleHandler, RolePort } from './role.ts';
import { socketFd } from './socketFd.ts';

/** Messages that may arrive behind a hello while its enrolment is being written. */
const maxEarly = 100;

export interface VisitorParts {
  readonly known: KnownProcesses;
  readonly table: ProcessTable;
  readonly refusals: Refusals;
  readonly helloMs: number;
  /** Judges a reviewer's token and enrols it; the text says why not. */
  admitReviewer(
    peer: Peer,
    token: string | undefined,
  ): Promise<'new' | 'known' | { readonly refused: string }>;
  /** Takes over an admitted connection; `started` runs once its welcome is out. */
  speakAs(role: Admitted, port: RolePort): { readonly handler: RoleHandler; readonly started: () => void };
}

export type Admitted =
  | { readonly role: 'reviewer' | 'operator' }
  /** `session`: to take up again after a lost desk. */
  | { readonly role: 'supervisor'; readonly session: string | undefined };

export class Visitor implements ConnectionListener, RolePort {
  readonly peer: Peer;
  private readonly connection: Connection;
  private readonly helloTimer: NodeJS.Timeout;
  private role: Role | undefined;
  private handler: RoleHandler | undefined;
  /** What came behind the hello, until the role is there. */
  private readonly early: unknown[] = [];
  private isClosed = false;

  /** @param gone called once, after the connection has ended. */
  constructor(
    socket: Socket,
    private readonly parts: VisitorParts,
    private readonly gone: () => void,
  ) {
    this.peer = identify(socket, parts.table);
    this.connection = new Connection(socket, this);
    this.helloTimer = setTimeout(
      () => this.malformed('no hello came in time; send it as the first line'),
      parts.helloMs,
    );
  }

  send(message: { readonly kind: string }): void {
    this.connection.send(message);
  }

  message(value: unknown): void {
    if (this.handler !== undefined) return this.handler.message(value);
    if (this.role === undefined) return this.hello(value);
    if (this.early.push(value) > maxEarly)
      this.malformed('too much was sent before the welcome; wait for it');
    return undefined;
  }

  malformed(text: string): void {
    this.refuse(
      this.role === undefined || this.role === 'gateway' ? 'connection' : this.role,
      'malformed message',
      text,
    );
  }

  refuse(what: Refused, rule: Rule, text: string): void {
    if (this.isClosed) return;
    const exe = readExe(this.peer.pid);
    this.parts.refusals.report({ pid: this.peer.pid, what, rule, text }, exe);
    this.connection.refuse(text);
  }

  close(): void {
    this.connection.close();
  }

  closed(): void {
    this.isClosed = true;
    clearTimeout(this.helloTimer);
    this.handler?.closed();
    this.gone();
  }

  private hello(value: unknown): void {
    const hello = readHello(value);
    if (hello.kind === 'refused') {
      this.refuse('connection', hello.rule, hello.text);
      return;
    }
    clearTimeout(this.helloTimer);
    this.role = hello.role;
    if (hello.role === 'gateway') {
      this.refuse(
        'connection',
        'not allowed in this role',
        'the gateway is not in this version; update Kinwatch',
      );
      return;
    }
    const { role } = hello;
    const verdict = judgePeer(role, this.peer, this.parts.known, this.parts.table);
    if (verdict.kind === 'refused') {
      this.refuse(role, verdict.rule, verdict.text);
      return;
    }
    if (role === 'reviewer') void this.welcomeReviewer(hello.token);
    else this.welcome(role === 'supervisor' ? { role, session: hello.session } : { role }, {});
  }

  private async welcomeReviewer(token: string | undefined): Promise<void> {
    const enrolled = await this.parts.admitReviewer(this.peer, token);
    if (this.isClosed) return;
    if (typeof enrolled === 'object') {
      this.refuse('reviewer', 'wrong token', enrolled.refused);
      return;
    }
    this.welcome({ role: 'reviewer' }, { enrolled });
  }

  private welcome(admitted: Admitted, extra: { readonly enrolled?: 'new' | 'known' }): void {
    const { handler, started } = this.parts.speakAs(admitted, this);
    this.send({ kind: 'welcome', protocol: protocolVersion, ...extra } as { kind: string });
    this.handler = handler;
    started();
    for (const value of this.early.splice(0)) if (!this.isClosed) handler.message(value);
  }
}

/** The rules again, for a message that decides something. */
export function judgeAgain(
  role: 'reviewer' | 'operator',
  peer: Peer,
  parts: Pick<VisitorParts, 'known' | 'table'>,
): PeerVerdict {
  return judgePeer(role, peer, parts.known, parts.table);
}

/** Pid and start time at accept. A peer that is gone already gets a start time that no process has. */
function identify(socket: Socket, table: ProcessTable): Peer {
  try {
    const { pid, uid } = peerCredentials(socketFd(socket));
    return { pid, uid, startTicks: table.stat(pid)?.startTicks ?? -1 };
  } catch {
    // The connection broke between accept and here; the rules refuse what cannot be read.
    return { pid: 0, uid: -1, startTicks: -1 };
  }
}

type Hello =
  | {
      readonly kind: 'hello';
      readonly role: Role;
      readonly token: string | undefined;
      readonly session: string | undefined;
    }
  | { readonly kind: 'refused'; readonly rule: Rule; readonly text: string };

function readHello(value: unknown): Hello {
  const { kind, role, protocol } = (value ?? {}) as { kind?: unknown; role?: unknown; protocol?: unknown };
  if (kind !== 'hello') {
    return malformed('the first message must be hello, with role and protocol');
  }
  // Before the schema: another version's hello may have other fields.
  if (typeof protocol === 'number' && Number.isInteger(protocol) && protocol !== protocolVersion) {
    return {
      kind: 'refused',
      rule: 'wrong protocol version',
      text: whatToRestart(protocol, roles.safeParse(role).data),
    };
  }
  const parsed: z.ZodSafeParseResult<{ role: Role; token?: string; session?: string } | object> =
    role === 'supervisor' ? fromSupervisor.safeParse(value) : toDesk.safeParse(value);
  if (!parsed.success) return malformed(describeMismatch(value, parsed.error));
  const data = parsed.data as { readonly role: Role; readonly token?: string; readonly session?: string };
  return { kind: 'hello', role: data.role, token: data.token, session: data.session };
}

function malformed(text: string): Hello {
  return { kind: 'refused', rule: 'malformed message', text };
}

function whatToRestart(theirs: number, role: Role | undefined): string {
  const versions = `this desk speaks protocol ${protocolVersion}, the ${role ?? 'peer'} speaks ${theirs}`;
  if (theirs > protocolVersion) {
    return `${versions}: the desk is older; end all sessions and run: kill ${process.pid}, then try again`;
  }
  return role === 'reviewer'
    ? `${versions}: the editor is older; update Kinwatch there and reload its window`
    : `${versions}: the ${role ?? 'peer'} is older; update it and start it again`;
}
