/**
 * Keeps this editor connected to the desk: connects, starts a desk where there is none, reconnects.
 *
 * Invariant: after a refusal it does not try again by itself. Every refusal is a record in the journal, and
 * the answer would be the same until a person changed something.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FromDesk, ToDesk } from '../protocol/desk.ts';
import { type DeskConnection, DeskError, type DeskHandlers } from '../protocol/deskConnection.ts';
import type { DeskState } from '../protocol/panel.ts';
import { messages } from './messages.ts';
import { lostDesk } from './mirror.ts';

/** Waits between attempts; the last one repeats. Families wait 5 s for a lost desk, so the first are short. */
const waitsMs = [50, 200, 500, 1000, 2000, 5000, 15_000];

export interface LinkHost {
  /** Connects with this token, starting a desk first where there is none. */
  connect(token: string, handlers: DeskHandlers): Promise<DeskConnection>;
  token: ReviewerToken;
  /** Asked when a token is held and the desk welcomes it as new. False: do not go on. */
  confirmNewEnrolment(): Promise<boolean>;
  state(state: DeskState): void;
  message(message: FromDesk): void;
  /** Called after each welcome, before anything else is sent. */
  connected(): void;
  now(): string;
}

/** Where the reviewer's token is kept. */
export interface ReviewerToken {
  /** The stored token, or a new one that has been stored. */
  read(): Promise<{ readonly token: string; readonly wasEnrolled: boolean }>;
  /** The desk knows this token from now on. */
  enrolled(token: string): Promise<void>;
}

export class DeskLink {
  private connection: DeskConnection | undefined;
  private isStopped = false;
  private isRunning = false;
  private wake = new AbortController();

  constructor(private readonly host: LinkHost) {}

  /** False when there is no connection to send on. */
  send(message: ToDesk): boolean {
    this.connection?.send(message);
    return this.connection !== undefined;
  }

  /** Connects and stays connected. Calling it again tries at once, also after a refusal. */
  start(): void {
    if (this.isStopped) return;
    this.wake.abort();
    if (!this.isRunning) void this.run();
  }

  stop(): void {
    this.isStopped = true;
    this.wake.abort();
    this.connection?.close();
    this.connection = undefined;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    let attempt = 0;
    let refusedToken: string | undefined;
    while (!this.isStopped) {
      // While a desk is lost the panel counts down; "connecting" would hide that.
      const { token, wasEnrolled } = await this.host.token.read();
      if (token === refusedToken) break;
      const outcome = await this.session(token, wasEnrolled, () => {
        attempt = 0;
      });
      if (outcome === 'stop' || this.isStopped) break;
      // Another window may have enrolled with its token meanwhile: read it again, once.
      if (outcome === 'refused') {
        refusedToken = token;
        continue;
      }
      await this.pause(waitsMs[Math.min(attempt, waitsMs.length - 1)] ?? 0);
      attempt += 1;
    }
    this.isRunning = false;
  }

  private async pause(ms: number): Promise<void> {
    this.wake = new AbortController();
    try {
      await sleep(ms, undefined, { signal: this.wake.signal, ref: false });
    } catch {
      // Woken early: that is the point.
    }
  }

  /** One connection from hello to its end. */
  private async session(
    token: string,
    wasEnrolled: boolean,
    welcomed: () => void,
  ): Promise<'again' | 'refused' | 'stop'> {
    // What arrives while a person is asked about the enrolment waits.
    const early: FromDesk[] = [];
    let isOpen = false;
    let over: (error: DeskError) => void = () => undefined;
    const ended = new Promise<DeskError>((resolve) => {
      over = resolve;
    });
    let connection: DeskConnection;
    try {
      connection = await this.host.connect(token, {
        message: (message) => {
          if (isOpen) this.host.message(message);
          else early.push(message);
        },
        closed: over,
      });
    } catch (error) {
      return this.failed(error);
    }
    welcomed();
    if (connection.enrolled === 'new' && wasEnrolled && !(await this.host.confirmNewEnrolment())) {
      connection.close();
      this.host.state({ kind: 'refused', reason: messages.tokenButNewDeclined });
      return 'stop';
    }
    if (this.isStopped) {
      connection.close();
      return 'stop';
    }
    await this.host.token.enrolled(token);
    this.connection = connection;
    this.host.state({ kind: 'connected' });
    this.host.connected();
    isOpen = true;
    for (const message of early) this.host.message(message);
    const error = await ended;
    this.connection = undefined;
    if (error.code !== 'lost') return this.failed(error);
    this.host.state(lostDesk(this.host.now()));
    return 'again';
  }

  private failed(error: unknown): 'again' | 'refused' | 'stop' {
    if (!(error instanceof DeskError)) {
      this.host.state({ kind: 'failed', reason: messages.notStarted(String(error)) });
      return 'again';
    }
    switch (error.code) {
      case 'refused':
        this.host.state({ kind: 'refused', reason: messages.refused(error.message) });
        return error.message.includes('token') ? 'refused' : 'stop';
      case 'version':
        this.host.state({ kind: 'failed', reason: messages.otherVersion(error.message) });
        return 'again';
      case 'no desk':
      case 'lost':
      case 'not started':
        this.host.state({ kind: 'failed', reason: messages.notStarted(error.message) });
        return 'again';
    }
  }
}
