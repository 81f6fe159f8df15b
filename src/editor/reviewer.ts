/**
 * The editor as reviewer: its state, and what it can ask of the desk. Without `vscode`, so that it can be
 * tested against a desk of a test's own.
 */
import type { Certificate, Choice, FromDesk, ToDesk } from '../protocol/desk.ts';
import type { PanelState } from '../protocol/panel.ts';
import { DeskLink, type LinkHost } from './deskLink.ts';
import { emptyState, openQuestions, reduce, withoutEnded } from './mirror.ts';

const tidyMs = 1000;

export interface ReviewerHost extends Pick<LinkHost, 'connect' | 'token' | 'confirmNewEnrolment' | 'now'> {
  changed(state: PanelState): void;
  /** A family has ended. `asked`: this window asked for its containment. */
  certificate(certificate: Certificate, asked: boolean): void;
  failed(request: string, reason: string): void;
  /** Something was asked for while there was no desk. */
  notConnected(): void;
  /** The folders of this window, sent after each welcome. */
  workspace(): { readonly folders: readonly string[]; readonly trusted: boolean };
}

export class Reviewer {
  private current: PanelState = emptyState;
  private readonly link: DeskLink;
  private tidying: NodeJS.Timeout | undefined;
  /** Sessions whose containment was asked for here and has not come back yet. */
  private readonly containing = new Set<string>();

  constructor(private readonly host: ReviewerHost) {
    this.link = new DeskLink({
      connect: host.connect.bind(host),
      token: host.token,
      confirmNewEnrolment: host.confirmNewEnrolment.bind(host),
      now: host.now.bind(host),
      state: (desk) => {
        this.set({ ...this.current, desk: this.deskAfter(desk) });
      },
      message: (message) => {
        this.take(message);
      },
      connected: () => {
        this.sendWorkspace();
      },
    });
  }

  get state(): PanelState {
    return this.current;
  }

  /** Connects, or tries again at once when it is not connected. */
  start(): void {
    if (this.current.desk.kind !== 'connected') this.link.start();
  }

  stop(): void {
    clearTimeout(this.tidying);
    this.link.stop();
  }

  /** Facts that do not come from the desk. */
  set(state: PanelState): void {
    this.current = withoutEnded(state, this.host.now());
    this.host.changed(this.current);
    this.tidyLater();
  }

  /** Ended questions leave although nothing more is heard from the desk. */
  private tidyLater(): void {
    clearTimeout(this.tidying);
    if (!this.current.questions.some(({ ending }) => ending !== undefined)) return;
    this.tidying = setTimeout(() => {
      if (withoutEnded(this.current, this.host.now()) === this.current) this.tidyLater();
      else this.set(this.current);
    }, tidyMs);
    this.tidying.unref();
  }

  /** Sends an answer. One that is no longer open is dropped: the desk would only say so. */
  answer(id: string, choice: Choice): void {
    const question = openQuestions(this.current).find((open) => open.id === id);
    if (question?.options.includes(choice) === true) this.ask({ kind: 'answer', id, choice });
  }

  contain(session: string): void {
    this.containing.add(session);
    this.ask({ kind: 'contain', session });
  }

  stopProcess(session: string, pid: number, startedAt: string): void {
    this.ask({ kind: 'stopProcess', session, pid, startedAt });
  }

  openFiles(session: string, pid: number, startedAt: string): void {
    this.ask({ kind: 'openFiles', session, pid, startedAt });
  }

  sendWorkspace(): void {
    const { folders, trusted } = this.host.workspace();
    this.link.send({ kind: 'workspace', folders: [...folders], trusted });
  }

  private ask(message: ToDesk): void {
    if (!this.link.send(message)) this.host.notConnected();
  }

  private take(message: FromDesk): void {
    if (message.kind === 'failed') this.host.failed(message.request, message.reason);
    if (message.kind === 'certificate') {
      const { certificate } = message;
      this.host.certificate(certificate, this.containing.delete(certificate.session));
    }
    const next = reduce(this.current, message, this.host.now());
    if (next !== this.current) this.set(next);
  }

  /** While families wait for a lost desk, a failed attempt to start one must not hide the countdown. */
  private deskAfter(desk: PanelState['desk']): PanelState['desk'] {
    const before = this.current.desk;
    if (before.kind !== 'lost' || (desk.kind !== 'failed' && desk.kind !== 'lost')) return desk;
    return Date.parse(before.familiesEndAt) > Date.parse(this.host.now()) ? before : desk;
  }
}
