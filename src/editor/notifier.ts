/**
 * Notifications of open questions (DESIGN §4): the card's own headline, and as many answers as that one
 * sentence carries.
 *
 * Invariant: closing a notification, and an answer within 600 ms of its appearing, answer nothing.
 */
import type { Choice, HeadlinePart, Question } from '../protocol/desk.ts';
import { openQuestions } from './mirror.ts';
import { messages } from './messages.ts';
import type { PanelState } from '../protocol/panel.ts';

const tooSoonMs = 600;
/** The editor cuts longer notifications; what is cut cannot be answered there. */
const longestHeadline = 400;

export interface NotifierHost {
  /** Shows a notification; undefined when it was closed without a button. */
  show(text: string, buttons: readonly string[]): PromiseLike<string | undefined>;
  answer(id: string, choice: Choice): void;
  /** Opens the panel, at a question's card where one is named. */
  review(id: string | undefined): void;
  /** The setting `kinwatch.notifications`. */
  isEnabled(): boolean;
  /** Milliseconds on a clock that does not jump. */
  clock(): number;
}

export class Notifier {
  private readonly seen = new Set<string>();
  private isSummaryShown = false;
  private state: PanelState | undefined;

  constructor(private readonly host: NotifierHost) {}

  /** Call after each change of state. */
  update(state: PanelState): void {
    this.state = state;
    const open = openQuestions(state);
    const known = new Set(state.questions.map(({ question }) => question.id));
    for (const id of this.seen) if (!known.has(id)) this.seen.delete(id);
    const fresh = open.filter(({ id }) => !this.seen.has(id));
    if (fresh.length === 0) return;
    for (const { id } of fresh) this.seen.add(id);
    if (!this.host.isEnabled()) return;
    const [only] = open;
    if (open.length === 1 && only !== undefined) void this.showOne(only, '');
    else if (!this.isSummaryShown) void this.showSummary(open.length);
  }

  private async showSummary(count: number): Promise<void> {
    this.isSummaryShown = true;
    const button = await this.host.show(messages.severalWait(count), [messages.review]);
    this.isSummaryShown = false;
    if (button === messages.review) this.host.review(undefined);
  }

  private async showOne(question: Question, before: string): Promise<void> {
    const { text, isWhole } = notificationText(question.headlineParts);
    const canAllow = question.headlineComplete && isWhole && question.options.includes('once');
    const buttons = canAllow
      ? [messages.deny, messages.allowOnce, messages.review]
      : [messages.review, messages.deny];
    const shownAt = this.host.clock();
    const button = await this.host.show(before === '' ? text : `${before} ${text}`, buttons);
    if (button === messages.review) return this.host.review(question.id);
    if (button !== messages.deny && button !== messages.allowOnce) return;
    if (!this.isOpen(question.id)) return void this.host.show(messages.noLongerOpen, []);
    if (this.host.clock() - shownAt < tooSoonMs) return this.showOne(question, messages.tooFast);
    this.host.answer(question.id, button === messages.deny ? 'deny' : 'once');
  }

  private isOpen(id: string): boolean {
    return this.state !== undefined && openQuestions(this.state).some((question) => question.id === id);
  }
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * The headline as plain notification text. The editor makes links of `[text](target)`, also of commands, so
 * that shape is broken up; then, and when it is too long, the text is not whole.
 */
export function notificationText(parts: readonly HeadlinePart[]): { text: string; isWhole: boolean } {
  const raw = parts
    .map(({ kind, text }) =>
      // Isolates keep a family's right-to-left text from reordering the words around it.
      kind === 'code' && rightToLeft.test(text) ? `\u2068${text}\u2069` : text,
    )
    .join('');
  const text = raw.replaceAll('](', '] (');
  return { text, isWhole: text === raw && text.length <= longestHeadline };
}
