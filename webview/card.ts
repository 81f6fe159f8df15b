/**
 * One question. Folded it shows its sentence and the time left; open it shows every fact and, below them, the
 * decision. Arrival never takes the focus, no key is bound to an answer, and Escape is no answer.
 */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { PanelQuestion } from '../src/protocol/panel.ts';
import { cardRow } from './cardRows.ts';
import { containText, endingLine, kinds, timing } from './cardWords.ts';
import { decision } from './decision.ts';
import { Guard } from './guard.ts';
import { icon } from './icons.ts';
import { nextWaiting } from './openCard.ts';
import type { Shell } from './shell.ts';
import { domId, headline } from './text.ts';

export class CardElement extends LitElement {
  static override readonly properties = {
    shell: { attribute: false },
    item: { attribute: false },
    open: { attribute: false },
    below: { state: true },
  };
  declare shell: Shell;
  declare item: PanelQuestion;
  declare open: boolean;
  /** Facts hidden behind the decision. */
  declare below: number;

  private readonly guard = new Guard();
  private guardTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly resized = new ResizeObserver(() => this.look());
  private readonly look = (): void => this.measure();
  private readonly tick = (): void => this.requestUpdate();
  private hadFocus = false;

  constructor() {
    super();
    this.below = 0;
  }

  /** Light DOM: names and descriptions point across the parts of the panel. */
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.resized.observe(document.body);
    this.resized.observe(this);
    window.addEventListener('scroll', this.look, { passive: true });
    window.addEventListener('resize', this.look);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
    window.removeEventListener('scroll', this.look);
    window.removeEventListener('resize', this.look);
    this.shell.clock.unwatch(this.tick);
    clearTimeout(this.guardTimer);
  }

  focusCard(): void {
    this.querySelector<HTMLElement>('article')?.focus({ preventScroll: true });
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('open') && !this.open) this.guard.gone();
    this.hadFocus = this.querySelector('.decide')?.contains(document.activeElement) ?? false;
  }

  protected override updated(): void {
    const { question, ending } = this.item;
    if (ending === undefined && question.expiresAt !== undefined) this.shell.clock.watch(this.tick);
    else this.shell.clock.unwatch(this.tick);
    const share = timing(this.item, this.shell.clock.now())?.share;
    for (const bar of this.querySelectorAll<HTMLElement>('.timebar > i')) {
      // Through the object model: the content security policy refuses style attributes.
      bar.style.width = `${((share ?? 0) * 100).toFixed(2)}%`;
    }
    // The buttons that held the focus may be gone; the card itself keeps the reader's place.
    if (this.hadFocus && document.activeElement === document.body) this.focusCard();
    this.measure();
  }

  /** Where the buttons are now: a move starts the wait anew. */
  private measure(): void {
    const pair = this.querySelector('.pair');
    if (pair === null) {
      this.guard.gone();
    } else if (this.guard.seen(pair.getBoundingClientRect().top, performance.now())) {
      clearTimeout(this.guardTimer);
      this.guardTimer = setTimeout(() => this.requestUpdate(), this.guard.remaining(performance.now()) + 1);
      this.requestUpdate();
    }
    const edge = this.querySelector('.decide')?.getBoundingClientRect().top;
    const facts = edge === undefined ? [] : [...this.querySelectorAll('.facts > .fact')];
    this.below = facts.filter((fact) => fact.getBoundingClientRect().bottom > (edge ?? 0) + 8).length;
  }

  protected override render(): TemplateResult {
    return this.open ? this.renderOpen() : this.renderFolded();
  }

  private renderOpen(): TemplateResult {
    const { question, ending } = this.item;
    const name = domId('headline', question.id);
    const facts = domId('facts', question.id);
    return html`<article
      class="card ${ending === undefined ? '' : 'is-done'}"
      tabindex="-1"
      aria-labelledby=${name}
      aria-describedby=${facts}
      @keydown=${this.onKey}
    >
      ${this.renderKind(true)}
      <h3 class="headline" id=${name}>${headline(question.headlineParts)}</h3>
      <dl class="facts" id=${facts}>
        ${question.rows.map((row) => cardRow(this.shell, question.id, row))}
        ${
          question.options.includes('contain')
            ? cardRow(this.shell, question.id, {
                label: 'If you contain',
                value: containText(question, this.shell.state.sessions),
              })
            : nothing
        }
      </dl>
      ${ending === undefined ? this.renderDecision() : this.renderEnding()}
    </article>`;
  }

  private renderFolded(): TemplateResult {
    const { question, ending } = this.item;
    const name = domId('headline', question.id);
    const { server, request } = question;
    const from = request === undefined ? '' : ` · ${request.tool ?? request.method} #${request.number}`;
    return html`<article
      class="card folded ${ending === undefined ? '' : 'is-done'}"
      tabindex="-1"
      aria-labelledby=${name}
      @keydown=${this.onKey}
    >
      <button
        type="button"
        class="fold"
        aria-expanded="false"
        @click=${() => this.shell.goTo(question.id, true)}
      >
        <span class="fold-main">
          ${this.renderKind(false)}
          <span class="headline" id=${name}>${headline(question.headlineParts)}</span>
          <span class="fold-foot small quiet"
            >${
              ending === undefined ? html`<bdi class="ellip">${server}${from}</bdi>` : endingLine(ending)
            }<span class="grow"></span
            ><span class="link">${ending === undefined ? 'Review' : 'Facts'}${icon('chevron')}</span></span
          >
        </span>
      </button>
      ${ending === undefined ? this.renderBar('fold-bar') : nothing}
    </article>`;
  }

  private renderKind(isOpen: boolean): TemplateResult {
    const kind = kinds[this.item.question.transition];
    const time = timing(this.item, this.shell.clock.now());
    const left =
      time === null
        ? nothing
        : html`${time.isUrgent ? icon('clock', 'warn') : nothing}<strong
              class="num left ${time.isUrgent ? 'warn-t' : ''}"
              role=${isOpen ? 'timer' : nothing}
              aria-live=${isOpen ? 'off' : nothing}
              >${time.left} left</strong
            >`;
    return html`<span class="card-kind small"
      >${icon(kind.icon)}<span class="ellip">${kind.name}</span><span class="grow"></span>${left}</span
    >`;
  }

  private renderBar(extra: string): TemplateResult | typeof nothing {
    const time = timing(this.item, this.shell.clock.now());
    if (time === null) return nothing;
    return html`<div class="timebar ${extra} ${time.isUrgent ? 'urgent' : ''}" aria-hidden="true">
      <i></i>
    </div>`;
  }

  private renderDecision(): TemplateResult {
    const { question } = this.item;
    return decision({
      item: this.item,
      sent: this.shell.view.sent(question.id),
      isReady: this.guard.remaining(performance.now()) === 0 && this.shell.state.desk.kind === 'connected',
      below: this.below,
      bar: this.renderBar(''),
      containTitle: containText(question, this.shell.state.sessions),
      now: this.shell.clock.now(),
      press: (at) => this.guard.pressed(at),
      choose: (choice, at) => {
        this.measure();
        if (this.shell.state.desk.kind !== 'connected' || !this.guard.accepts(at)) return;
        this.shell.answer(question.id, choice);
      },
    });
  }

  private renderEnding(): TemplateResult {
    const { question, ending } = this.item;
    const next = nextWaiting(this.shell.state.questions, question.id);
    return html`<footer class="decide is-done">
      <p class="ending">
        ${ending === undefined ? nothing : endingLine(ending)}
        <span class="grow"></span>
        ${
          next === undefined
            ? nothing
            : html`<vscode-button
                class="btn sm"
                appearance="secondary"
                @click=${() => this.shell.goTo(next, true)}
                >Next question</vscode-button
              >`
        }
      </p>
    </footer>`;
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && document.activeElement instanceof HTMLElement) {
      document.activeElement.blur();
    }
    // On the card itself Enter and Space do nothing, not even scroll.
    if (event.target === event.currentTarget && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
    }
  };
}
