/** Details of one row. Pinned to the foot of the view while enough of the tree stays visible above it. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { ProcessView, SessionView } from '../src/protocol/desk.ts';
import { familyFacts, processFacts, type Fact } from './drawerFacts.ts';
import { icon } from './icons.ts';
import { processName } from './processWords.ts';
import { openFilesFacts } from './openFiles.ts';
import type { Shell } from './shell.ts';
import { data } from './text.ts';
import { processKey } from './treeRows.ts';

/** The drawer's greatest height when pinned, and five rows of the tree above it. */
const roomPx = 300 + 5 * 22;

export class DrawerElement extends LitElement {
  static override readonly properties = { shell: { attribute: false }, isPinned: { state: true } };
  declare shell: Shell;
  declare isPinned: boolean;

  private readonly resized = new ResizeObserver(() => this.pin());
  private readonly pin = (): void => {
    const tree = this.parentElement?.querySelector('kw-tree')?.getBoundingClientRect();
    this.isPinned = window.innerHeight - Math.max(0, tree?.top ?? 0) > roomPx;
  };

  constructor() {
    super();
    this.isPinned = false;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.resized.observe(document.body);
    window.addEventListener('scroll', this.pin, { passive: true });
    window.addEventListener('resize', this.pin);
    this.pin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
    window.removeEventListener('scroll', this.pin);
    window.removeEventListener('resize', this.pin);
  }

  protected override updated(): void {
    this.classList.toggle('is-pinned', this.isPinned);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { state, view } = this.shell;
    const session = state.sessions.find(
      (each) => view.drawer === each.session || view.drawer?.startsWith(`${each.session}/`) === true,
    );
    if (session === undefined) return nothing;
    if (view.drawer === session.session) {
      return this.frame(
        html`${data(session.server)}`,
        familyFacts(this.shell, session),
        this.contain(session),
      );
    }
    const process = session.processes.find((each) => processKey(session, each) === view.drawer);
    if (process === undefined) return nothing;
    return this.frame(
      html`${data(processName(process))} <span class="quiet num">${process.pid}</span>`,
      [...processFacts(this.shell, session, process), ...openFilesFacts(this.shell, process)],
      html`${this.openFiles(session, process)}${this.stop(session, process)}`,
    );
  }

  private frame(title: TemplateResult, facts: readonly Fact[], action: unknown): TemplateResult {
    const text = facts.map((fact) => `${fact.label}: ${fact.text}`).join('\n');
    return html`<section class="drawer" aria-labelledby="drawer-title" @keydown=${this.onKey}>
      <div class="drawer-head">
        <h3 id="drawer-title" class="ellip">${title}</h3>
        <span class="grow"></span>
        ${action}
        <vscode-button
          class="iconbtn"
          appearance="icon"
          aria-label="Copy these facts"
          title="Copy these facts"
          @click=${() => this.shell.post({ kind: 'copy', text })}
          >${icon('copy')}</vscode-button
        >
        <vscode-button
          class="iconbtn"
          appearance="icon"
          aria-label="Close details"
          title="Close details"
          @click=${this.close}
          >${icon('x')}</vscode-button
        >
      </div>
      <dl class="facts">
        ${facts.map(
          (fact) =>
            html`<div class="fact">
              <dt>${fact.label}</dt>
              <dd>${fact.body}</dd>
            </div>`,
        )}
      </dl>
    </section>`;
  }

  private stop(session: SessionView, process: ProcessView): unknown {
    if (process.state === 'ended' || this.shell.state.desk.kind !== 'connected') return nothing;
    const { pid, startedAt } = process;
    return html`<vscode-button
      class="btn flat sm"
      appearance="secondary"
      @click=${() => this.shell.post({ kind: 'stopProcess', session: session.session, pid, startedAt })}
      >${icon('stop')}<span>Stop process</span></vscode-button
    >`;
  }

  private openFiles(session: SessionView, process: ProcessView): unknown {
    if (process.state === 'ended' || this.shell.state.desk.kind !== 'connected') return nothing;
    const { pid, startedAt } = process;
    return html`<vscode-button
      class="btn flat sm"
      appearance="secondary"
      @click=${() => this.shell.post({ kind: 'openFiles', session: session.session, pid, startedAt })}
      ><span>Open files</span></vscode-button
    >`;
  }

  private contain(session: SessionView): unknown {
    if (session.state === 'ended' || this.shell.state.desk.kind !== 'connected') return nothing;
    return html`<vscode-button
      class="btn flat sm danger"
      appearance="secondary"
      @click=${() => this.shell.post({ kind: 'contain', session: session.session })}
      >${icon('stop')}<span>Contain</span></vscode-button
    >`;
  }

  private readonly close = (): void => {
    this.shell.view.drawer = undefined;
    this.shell.view.save();
    this.shell.redraw();
    this.dispatchEvent(new CustomEvent('drawer-closed', { bubbles: true }));
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.close();
  };
}
