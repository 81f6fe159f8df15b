/**
 * The decision at the foot of a card. Deny and Allow once have the same size, weight and colour; Deny comes
 * first in reading order; nothing in a card is primary.
 */
import { html, nothing, type TemplateResult } from 'lit';
import type { Choice } from '../src/protocol/desk.ts';
import type { PanelQuestion } from '../src/protocol/panel.ts';
import { icon, type IconName } from './icons.ts';
import { clockTime } from './time.ts';

export interface Decision {
  readonly item: PanelQuestion;
  /** The choice that was sent and is not yet recorded. */
  readonly sent: Choice | undefined;
  readonly isReady: boolean;
  readonly below: number;
  readonly bar: unknown;
  readonly containTitle: string;
  readonly now: number;
  press(at: number): void;
  choose(choice: Choice, at: number): void;
}

const labels: Readonly<Record<Choice, { readonly text: string; readonly icon: IconName }>> = {
  deny: { text: 'Deny', icon: 'slash' },
  once: { text: 'Allow once', icon: 'check' },
  session: { text: 'Allow for this session', icon: 'checks' },
  contain: { text: 'Contain', icon: 'stop' },
};

export function decision(it: Decision): TemplateResult {
  const { question } = it.item;
  const offers = (choice: Choice): boolean => question.options.includes(choice);
  return html`<footer
    class="decide"
    @pointerdown=${(event: PointerEvent) => it.press(event.timeStamp)}
    @keydown=${(event: KeyboardEvent) => {
      // A key held down since before the card was there must not press its buttons.
      if (event.key !== 'Enter' && event.key !== ' ') return;
      if (event.repeat) event.preventDefault();
      else it.press(event.timeStamp);
    }}
  >
    ${it.bar}
    <p class="deadline small">
      ${it.sent === undefined ? deadline(it) : html`<span>Sent: ${labels[it.sent].text}</span>`}
      <button
        type="button"
        class="link num ${it.below > 0 ? '' : 'is-unseen'}"
        aria-label="${it.below} more facts below"
        @click=${() => window.scrollBy({ top: window.innerHeight * 0.6 })}
      >
        ${it.below} more below
      </button>
    </p>
    <div class="pair" role="group" aria-label="Decision">
      ${button(it, 'deny', 'btn')} ${offers('once') ? button(it, 'once', 'btn') : nothing}
    </div>
    <div class="pair2">
      ${
        offers('session')
          ? button(it, 'session', 'btn flat', `Until this ${question.server} session ends`)
          : html`<span></span>`
      }
      ${offers('contain') ? button(it, 'contain', 'btn flat danger', it.containTitle) : nothing}
    </div>
  </footer>`;
}

function deadline(it: Decision): TemplateResult {
  const { expiresAt, heldUntil } = it.item.question;
  if (expiresAt !== undefined) {
    return html`<span title="UTC"
      >Denied at <span class="num">${clockTime(expiresAt)}</span
      ><span class="unless"> unless answered</span></span
    >`;
  }
  if (heldUntil === undefined) return html`<span>Stays open until you answer</span>`;
  const word = Date.parse(heldUntil) > it.now ? 'Caller waits until' : 'Caller left at';
  return html`<span title="UTC"
    >${word} <span class="num">${clockTime(heldUntil)}</span><span class="unless">; stays open</span></span
  >`;
}

function button(it: Decision, choice: Choice, look: string, title?: string): TemplateResult {
  const isOff = !it.isReady || it.sent !== undefined;
  const label = labels[choice];
  return html`<vscode-button
    class=${look}
    appearance="secondary"
    data-choice=${choice}
    aria-disabled=${isOff ? 'true' : 'false'}
    title=${title ?? nothing}
    @click=${(event: MouseEvent) => {
      if (it.sent === undefined) it.choose(choice, event.timeStamp);
    }}
    >${icon(label.icon)}<span>${label.text}</span></vscode-button
  >`;
}
