/** The panel's webview: full snapshots out, validated messages in. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { type FromPanel, fromPanel, type PanelState, type ToPanel } from '../protocol/panel.ts';
import { viewId } from './commandTable.ts';
import { messages } from './messages.ts';
import { openQuestions } from './mirror.ts';
import { panelHtml } from './panelHtml.ts';

/** At most 20 snapshots a second, however fast a family forks. */
const leastIntervalMs = 50;

export interface PanelHost {
  state(): PanelState;
  received(message: Exclude<FromPanel, { kind: 'ready' }>): void;
}

export class Panel implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private isReady = false;
  private timer: NodeJS.Timeout | undefined;
  private sentAt = 0;
  private pendingReveal: string | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly host: PanelHost,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.isReady = false;
    const dist = vscode.Uri.joinPath(this.extensionUri, 'dist', 'webview');
    const media = vscode.Uri.joinPath(this.extensionUri, 'media');
    const { webview } = view;
    webview.options = { enableScripts: true, localResourceRoots: [dist, media] };
    webview.onDidReceiveMessage((message: unknown) => {
      this.receive(message);
    });
    view.onDidDispose(() => {
      if (this.view === view) this.view = undefined;
      this.isReady = false;
    });
    webview.html = panelHtml({
      source: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'main.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'main.css')).toString(),
      nonce: randomBytes(24).toString('base64url'),
    });
    this.showBadge();
  }

  /** Call after each change of state; snapshots are sent at most every 50 ms. */
  update(): void {
    this.showBadge();
    if (!this.isReady || this.timer !== undefined) return;
    const wait = Math.max(0, this.sentAt + leastIntervalMs - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.sendState();
    }, wait);
  }

  /** Opens the panel, and moves to a question's card where one is named. Takes no keyboard focus in the card. */
  async show(question?: string): Promise<void> {
    this.pendingReveal = question;
    await vscode.commands.executeCommand(`${viewId}.focus`);
    if (this.isReady) this.sendReveal();
  }

  private sendState(): void {
    if (!this.isReady) return;
    this.sentAt = performance.now();
    this.post({ kind: 'state', state: this.host.state(), now: new Date().toISOString() });
  }

  private sendReveal(): void {
    if (this.pendingReveal !== undefined) this.post({ kind: 'reveal', question: this.pendingReveal });
    this.pendingReveal = undefined;
  }

  private post(message: ToPanel): void {
    void this.view?.webview.postMessage(message);
  }

  private receive(value: unknown): void {
    const parsed = fromPanel.safeParse(value);
    // A page of ours sends nothing else; what is malformed is dropped, never guessed at.
    if (!parsed.success) return;
    if (parsed.data.kind !== 'ready') return this.host.received(parsed.data);
    this.isReady = true;
    this.sendState();
    this.sendReveal();
  }

  private showBadge(): void {
    if (this.view === undefined) return;
    const count = openQuestions(this.host.state()).length;
    this.view.badge = count === 0 ? undefined : { value: count, tooltip: messages.badge(count) };
  }
}
