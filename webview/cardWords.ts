/** The panel's own words on a card; its sentence and its facts come from the desk. */
import { html, type TemplateResult } from 'lit';
import { visibleText } from '../src/core/consequence/visible.ts';
import type { Choice, Question, SessionView, Transition } from '../src/protocol/desk.ts';
import type { PanelQuestion } from '../src/protocol/panel.ts';
import { icon, type IconName } from './icons.ts';
import { count, told } from './text.ts';
import { clockTime, timeLeft, urgentMs } from './time.ts';

export const kinds: Readonly<Record<Transition, { readonly name: string; readonly icon: IconName }>> = {
  'first start': { name: 'Start of a server', icon: 'plug' },
  'new executable': { name: 'New program', icon: 'new' },
  'local to network': { name: 'New on the network', icon: 'network' },
  'work handed outside': { name: 'Work handed outside', icon: 'container' },
  'changed offer': { name: 'Changed server', icon: 'script' },
};

const past: Readonly<Record<Choice, { readonly text: string; readonly icon: IconName }>> = {
  deny: { text: 'Denied', icon: 'slash' },
  once: { text: 'Allowed once', icon: 'check' },
  session: { text: 'Allowed for this session', icon: 'checks' },
  contain: { text: 'Contained', icon: 'stop' },
};

/** `Allowed once, 14:21:02`: there is no way back. */
export function endingLine(ending: NonNullable<PanelQuestion['ending']>): TemplateResult {
  const at = html`<span class="num">${clockTime(ending.at)}</span> <span class="quiet">UTC</span>`;
  if (ending.kind === 'withdrawn') {
    return html`<span class="answered"
      >${icon('x', 'quiet')}<span
        >Withdrawn, ${at}<br /><span class="quiet">${told(ending.reason)}</span></span
      ></span
    >`;
  }
  const { text, icon: name } = past[ending.choice];
  return html`<span class="answered">${icon(name)}<span>${text}, ${at}</span></span>`;
}

export interface Timing {
  /** `1:56`. */
  readonly left: string;
  /** Of the whole wait, 0 to 1. */
  readonly share: number;
  readonly isUrgent: boolean;
}

/** Null for what has ended, and for a start, which stays open. */
export function timing({ question, ending }: PanelQuestion, now: number): Timing | null {
  if (ending !== undefined || question.expiresAt === undefined) return null;
  const leftMs = Date.parse(question.expiresAt) - now;
  const wholeMs = Date.parse(question.expiresAt) - Date.parse(question.askedAt);
  return {
    left: timeLeft(leftMs),
    share: wholeMs > 0 ? Math.min(1, Math.max(0, leftMs / wholeMs)) : 0,
    isUrgent: leftMs <= urgentMs,
  };
}

/** What one press on Contain ends. */
export function containText(question: Question, sessions: readonly SessionView[]): string {
  const server = visibleText(question.server);
  const session = sessions.find((each) => each.session === question.session);
  const alive = session?.processes.filter((each) => each.state !== 'ended').length ?? 0;
  if (alive === 0) return `${server} doesn’t start, and this session is over. Nothing of it runs yet.`;
  return `Evidence is saved, then ${server} and all it started (${count(alive, 'process', 'processes')}) are ended at once.`;
}
