/** The whole panel: draws full states from the host and keeps nothing but what is expanded, open and focused. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Choice } from '../src/protocol/desk.ts';
import type { FromPanel, PanelState, ToPanel } from '../src/protocol/panel.ts';
import type { CardElement } from './card.ts';
import { certificates } from './certificate.ts';
import { Clock } from './clock.ts';
import { isLive } from './coverage.ts';
import { header } from './header.ts';
import { icon } from './icons.ts';
import { notices } from './notice.ts';
import { inOrder, openAfter } from './openCard.ts';
import { pane } from './pane.ts';
import { connectHost } from './post.ts';
import { proposals, refusals } from './refusals.ts';
import type { Shell } from './shell.ts';
import { clockTime, timeLeftSpoken } from './time.ts';
import type { TreeElement } from './tree.ts';
import { View, type SavedView } from './view.ts';
import { welcome } from './welcome.ts';

export class PanelElement extends LitElement {
  static override readonly properties = {
    state: { attribute: false },
    spoken: { state: true },
  };
  declare state: PanelState | undefined;
  /** Read out once, assertively, when a question arrives. */
  declare spoken: string;

  private readonly host = connectHost();
  private readonly clock = new Clock();
  private readonly view = new View(savedView(this.host.getState()), (saved) => this.host.setState(saved));
  private known: ReadonlySet<string> = new Set();
  private readonly tick = (): void => this.requestUpdate();

  constructor() {
    super();
    this.spoken = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('message', this.onMessage);
    this.host.postMessage({ kind: 'ready' });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('message', this.onMessage);
    this.clock.unwatch(this.tick);
  }

  private readonly onMessage = (event: MessageEvent<ToPanel>): void => {
    const message = event.data;
    if (message.kind === 'reveal') this.goTo(message.question, false);
    else if (message.kind === 'state') this.take(message.state, message.now);
  };

  private take(state: PanelState, now: string): void {
    this.clock.set(now);
    const questions = inOrder(state.questions);
    this.state = { ...state, questions };
    const waiting = questions.filter((each) => each.ending === undefined);
    const ids = questions.map((each) => each.question.id);
    const fresh = new Set(
      this.view.announce(
        waiting.map((each) => each.question.id),
        ids,
      ),
    );
    const sentences = waiting
      .filter((each) => fresh.has(each.question.id))
      .map((each) => {
        const { question } = each;
        const until = question.expiresAt === undefined ? null : Date.parse(question.expiresAt);
        return `${question.headline} ${until === null ? '' : timeLeftSpoken(until - this.clock.now())}`;
      });
    if (sentences.length > 0) this.spoken = sentences.join(' ');
    else if (waiting.length === 0) this.spoken = '';
    this.view.open = openAfter(this.view.open, this.known, questions);
    this.known = new Set(ids);
    this.view.save();
    if (state.desk.kind === 'lost') this.clock.watch(this.tick);
    else this.clock.unwatch(this.tick);
  }

  private post(message: FromPanel): void {
    this.host.postMessage(message);
  }

  private answer(id: string, choice: Choice): void {
    const item = this.state?.questions.find((each) => each.question.id === id);
    if (item === undefined || item.ending !== undefined || this.view.sent(id) !== undefined) return;
    this.view.send(id, choice);
    this.post({ kind: 'answer', id, choice });
    this.requestUpdate();
  }

  private goTo(id: string, focus: boolean): void {
    if (this.state?.questions.every((each) => each.question.id !== id) !== false) return;
    this.view.open = id;
    if (!this.view.isExpanded('pane/questions', true)) this.view.toggle('pane/questions');
    this.view.save();
    this.requestUpdate();
    void this.updateComplete.then(async () => {
      const card = [...this.querySelectorAll<CardElement>('kw-card')].find(
        (each) => each.item.question.id === id,
      );
      await card?.updateComplete;
      card?.scrollIntoView({ block: 'start' });
      if (focus) card?.focusCard();
    });
  }

  private shell(state: PanelState): Shell {
    return {
      state,
      clock: this.clock,
      view: this.view,
      post: (message) => this.post(message),
      answer: (id, choice) => this.answer(id, choice),
      goTo: (question, focus) => this.goTo(question, focus),
      redraw: () => this.requestUpdate(),
    };
  }

  protected override render(): TemplateResult {
    const { state } = this;
    return html`<div class="kw">
      ${state === undefined ? nothing : this.renderState(this.shell(state))}
      <div class="vh" aria-live="assertive" aria-atomic="true">${this.spoken}</div>
    </div>`;
  }

  private renderState(shell: Shell): TemplateResult {
    const { sessions, questions, desk, refusals: refused } = shell.state;
    const isUnused =
      desk.kind === 'connected' && sessions.length === 0 && questions.length === 0 && refused.length === 0;
    return html`${header(shell)} ${notices(shell)}
    ${
      isUnused
        ? welcome(shell)
        : html`<main>
            ${pane(
              shell,
              'questions',
              'Needs your decision',
              questions.filter((each) => each.ending === undefined).length,
              () => this.renderQuestions(shell),
            )}
            ${pane(shell, 'families', 'Families', sessions.filter(isLive).length, () =>
              this.renderFamilies(shell),
            )}
          </main>`
    }`;
  }

  private renderQuestions(shell: Shell): TemplateResult {
    const { questions, desk } = shell.state;
    return html`${
      questions.length === 0
        ? calm(desk.kind === 'connected')
        : html`<div class="cards">
            ${repeat(
              questions,
              (item) => item.question.id,
              (item) =>
                html`<kw-card
                  .shell=${shell}
                  .item=${item}
                  .open=${item.question.id === shell.view.open}
                ></kw-card>`,
            )}
          </div>`
    }
    ${refusals(shell)} ${proposals(shell)}`;
  }

  private renderFamilies(shell: Shell): TemplateResult {
    const { sessions, desk } = shell.state;
    const since = desk.kind === 'lost' ? desk.since : undefined;
    return html`${
      since === undefined
        ? nothing
        : html`<p class="note small">
            ${icon('clock', 'quiet')}<span>As of ${clockTime(since)} UTC. This list may be out of date.</span>
          </p>`
    }
    ${certificates(shell)}
    ${
      sessions.length === 0
        ? html`<p class="note small">
            ${icon('info', 'quiet')}<span
              >${desk.kind === 'connected' ? 'No server runs.' : 'Not known without the desk.'}</span
            >
          </p>`
        : html`<kw-tree .shell=${shell}></kw-tree> ${
              shell.view.drawer === undefined
                ? nothing
                : html`<kw-drawer .shell=${shell} @drawer-closed=${this.onDrawerClosed}></kw-drawer>`
            }`
    }`;
  }

  private readonly onDrawerClosed = (): void => {
    const key = this.view.current;
    if (key !== undefined) this.querySelector<TreeElement>('kw-tree')?.focusRow(key);
  };
}

function calm(isConnected: boolean): TemplateResult {
  return html`<div class="calm">
    ${isConnected ? icon('check', 'ok') : icon('slash', 'quiet')}
    <div>
      <p>${isConnected ? 'Nothing needs you.' : 'No question can be shown now.'}</p>
    </div>
  </div>`;
}

/** What an older version kept is not trusted to have today's shape. */
function savedView(saved: unknown): Partial<SavedView> {
  if (typeof saved !== 'object' || saved === null) return {};
  const record = saved as Readonly<Record<string, unknown>>;
  const strings = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    flipped: strings(record['flipped']),
    announced: strings(record['announced']),
    sent: Array.isArray(record['sent']) ? (record['sent'] as SavedView['sent']) : [],
    open: text(record['open']),
    current: text(record['current']),
    drawer: text(record['drawer']),
  };
}
