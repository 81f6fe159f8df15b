/** The status line: the weakest coverage of a live family, the desk, and what there is. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Coverage, SessionView } from '../src/protocol/desk.ts';
import { coverageIcon, coverageTitle, isLive, weakestCoverage } from './coverage.ts';
import { icon } from './icons.ts';
import { nextWaiting } from './openCard.ts';
import type { Shell } from './shell.ts';
import { count, sentence } from './text.ts';
import { clockTime } from './time.ts';

export function header(shell: Shell): TemplateResult {
  const { desk, sessions, questions } = shell.state;
  const live = sessions.filter(isLive);
  const waiting = questions.filter((each) => each.ending === undefined).length;
  const isConnected = desk.kind === 'connected';
  return html`<header class="status" aria-label="Kinwatch status">
    ${isConnected ? coverageItem(live) : deskItem(shell)}
    ${
      isConnected
        ? html`<span class="status-item" title="The desk answers"
            >${icon('run', 'ok')}<span class="desk-word">Desk</span><span class="vh"> connected</span></span
          >`
        : nothing
    }
    ${waiting > 0 ? waitingItem(shell, waiting) : nothing}
    <span
      class="status-item families"
      title="${count(live.length, 'execution family', 'execution families')} alive"
      >${icon('stack')}<span class="num">${live.length}</span
      ><span class="wide-only">${live.length === 1 ? 'family' : 'families'}</span
      ><span class="vh narrow-only"> ${live.length === 1 ? 'family' : 'families'}</span></span
    >
  </header>`;
}

function coverageItem(live: readonly SessionView[]): TemplateResult {
  const weakest: Coverage | undefined = weakestCoverage(live);
  if (weakest === undefined) {
    return html`<span class="status-item grow" title="No execution family is alive"
      >${icon('unknown', 'quiet')}<span class="ellip quiet">Nothing under watch</span></span
    >`;
  }
  return html`<span class="status-item grow" title=${coverageTitle(weakest)}
    ><span class="vh">${weakest.level}: </span>${coverageIcon(weakest)}<span class="ellip"
      >${sentence(weakest.text)}</span
    ></span
  >`;
}

function deskItem(shell: Shell): TemplateResult {
  const { desk } = shell.state;
  switch (desk.kind) {
    case 'connecting':
    case 'connected':
      return html`<span class="status-item grow"
        >${icon('unknown', 'quiet')}<span class="ellip">Reaching the desk…</span></span
      >`;
    case 'lost':
      return html`<span class="status-item grow" title="No contact since ${clockTime(desk.since)} UTC"
        >${icon('unplug', 'error')}<span class="ellip">Desk not answering</span></span
      >`;
    case 'refused':
      return html`<span class="status-item grow"
        >${icon('slash', 'error')}<span class="ellip">Desk refused this editor</span></span
      >`;
    case 'failed':
      return html`<span class="status-item grow"
        >${icon('unplug', 'error')}<span class="ellip">No desk</span></span
      >`;
  }
}

/** "Next question" of the mock: focuses a card, never a button. */
function waitingItem(shell: Shell, waiting: number): TemplateResult {
  const label = `${count(waiting, 'question')} waiting. Go to the next one`;
  const go = (): void => {
    const { questions } = shell.state;
    const open = questions.find((each) => each.question.id === shell.view.open && each.ending === undefined);
    const isReading = document.activeElement?.closest('article') !== null;
    const to = open !== undefined && !isReading ? open.question.id : nextWaiting(questions, shell.view.open);
    const target = to ?? open?.question.id;
    if (target !== undefined) shell.goTo(target, true);
  };
  return html`<button type="button" class="status-item" title=${label} aria-label=${label} @click=${go}>
    ${icon('held', 'info')}<span class="num">${waiting}</span><span class="wide-only">waiting</span>
  </button>`;
}
