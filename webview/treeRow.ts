/** One row of the tree. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ProcessView } from '../src/protocol/desk.ts';
import { connectionBadges } from './connections.ts';
import { coverageIcon } from './coverage.ts';
import { icon } from './icons.ts';
import { argumentLine, clientName, processName, requestLabel } from './processWords.ts';
import { data } from './text.ts';
import { age } from './time.ts';
import { statusSummary, type FamilyRow, type GroupRow, type ProcessRow, type TreeRow } from './treeRows.ts';

export interface RowContext {
  readonly now: number;
  /** True while the desk is away: what is shown is the last that was known. */
  readonly isStale: boolean;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  /** Id of the question this process waits for. */
  readonly question: string | undefined;
  contain(session: string): void;
  goTo(question: string): void;
}

/** Deeper levels keep this indent: the name must stay readable at 300 px. */
const deepestIndent = 10;

export function treeRow(row: TreeRow, context: RowContext): TemplateResult {
  const looks = [
    'row',
    row.kind === 'family' ? 'fam' : '',
    isEnded(row) ? 'is-ended' : '',
    context.isSelected ? 'is-sel' : '',
  ];
  const indents = Math.min(row.level - 1, deepestIndent);
  return html`<li
    role="treeitem"
    class=${looks.filter((each) => each !== '').join(' ')}
    data-key=${row.key}
    tabindex=${context.isCurrent ? '0' : '-1'}
    aria-level=${row.level}
    aria-setsize=${row.setSize}
    aria-posinset=${row.position}
    aria-expanded=${row.expanded ?? nothing}
    aria-selected=${context.isSelected}
  >
    ${
      indents > 0
        ? html`<span class="indent" aria-hidden="true"
            >${Array.from({ length: indents }, () => html`<i></i>`)}</span
          >`
        : nothing
    }
    <div class="row-body">
      <span class="row-line">
        <span class="tw"
          >${row.expanded === null ? nothing : html`<span class="twist">${icon('chevron')}</span>`}</span
        >
        ${line(row, context)}
      </span>
      ${foot(row, context)}
    </div>
  </li>`;
}

function isEnded(row: TreeRow): boolean {
  if (row.kind === 'family') return row.session.state === 'ended';
  return row.kind === 'group' || row.process.state === 'ended';
}

function line(row: TreeRow, context: RowContext): TemplateResult {
  switch (row.kind) {
    case 'family':
      return familyLine(row, context);
    case 'group':
      return groupLine(row);
    case 'process':
      return processLine(row, context);
  }
}

function familyLine({ session }: FamilyRow, context: RowContext): TemplateResult {
  const title = `Save evidence, then end ${session.server} and everything it started`;
  const canContain = !context.isStale && (session.state === 'running' || session.state === 'ending');
  const contain = (event: Event): void => {
    event.stopPropagation();
    context.contain(session.session);
  };
  return html`${icon('plug')}<span class="what ellip"><span class="name">${data(session.server)}</span></span>
    <span class="meta"
      >${
        canContain
          ? html`<button
              type="button"
              class="contain"
              tabindex="-1"
              title=${title}
              aria-label="Contain ${session.server}"
              @click=${contain}
            >
              ${icon('stop')}<span>Contain</span>
            </button>`
          : nothing
      }<span class="age num"
        >${session.state === 'ended' ? 'ended' : age(context.now - Date.parse(session.startedAt))}</span
      ></span
    >`;
}

function groupLine({ processes, isTopOfRequest }: GroupRow): TemplateResult {
  const [first] = processes;
  if (first === undefined) return html``;
  return html`${icon('ended', 'quiet')}<span class="vh">ended: </span
    ><span class="what ellip"
      ><span class="name">${data(processName(first))} ×${processes.length}</span>
      <span class="arg">ended, ${statusSummary(processes)}</span></span
    ><span class="meta">${isTopOfRequest ? chip(first) : nothing}</span>`;
}

function processLine({ process, isTopOfRequest }: ProcessRow, context: RowContext): TemplateResult {
  return html`${stateIcon(process, context.isStale)}<span class="what ellip"
      ><span class="name">${data(processName(process))}</span>
      <span class="arg">${data(argumentLine(process))}</span></span
    ><span class="meta"
      >${isTopOfRequest ? chip(process) : nothing}${
        process.state === 'ended'
          ? html`<span class="tail">${endOf(process)}</span>`
          : html`<span class="age num">${age(context.now - Date.parse(process.startedAt))}</span>`
      }</span
    >`;
}

/** How it ended, short. */
function endOf({ status }: ProcessView): string {
  return status === undefined || status === 'unknown' ? 'ended' : status.replace(/^signal /u, '');
}

function stateIcon(process: ProcessView, isStale: boolean): TemplateResult {
  if (process.state === 'ended') return html`${icon('ended', 'quiet')}<span class="vh">ended: </span>`;
  if (isStale) return html`${icon('unknown')}<span class="vh">state not known: </span>`;
  if (process.state === 'held') return html`${icon('held', 'info')}<span class="vh">held: </span>`;
  return html`${icon('run', 'ok')}<span class="vh">running: </span>`;
}

function chip({ request }: ProcessView): TemplateResult | typeof nothing {
  if (request === undefined) return nothing;
  const isSure = request.attribution === 'certain';
  return html`<span class="chip mono" title=${isSure ? nothing : 'Or another request that was in flight'}
    >${data(requestLabel(request))}${isSure ? nothing : html`<span aria-hidden="true">?</span><span class="vh">, not certain</span>`}</span
  >`;
}

function foot(row: TreeRow, context: RowContext): TemplateResult | typeof nothing {
  if (row.kind === 'family') return familyFoot(row, context);
  if (row.kind === 'group') return nothing;
  const { process } = row;
  const badges = [];
  if (process.state === 'held') badges.push(heldBadge(context));
  if (process.refusedBy !== undefined) {
    badges.push(html`<span class="badge err">${icon('slash', 'error')}never released</span>`);
    badges.push(html`<span class="badge">${process.refusedBy}</span>`);
  }
  if (process.detached) {
    badges.push(html`<span class="badge warn">${icon('detached', 'warn')}detached</span>`);
  }
  badges.push(...connectionBadges(process));
  return badges.length === 0 ? nothing : html`<span class="badges">${badges}</span>`;
}

function heldBadge(context: RowContext): TemplateResult {
  const { question } = context;
  if (question === undefined) return html`<span class="badge info">held</span>`;
  const go = (event: Event): void => {
    event.stopPropagation();
    context.goTo(question);
  };
  return html`<button type="button" class="badge info" tabindex="-1" title="Go to its question" @click=${go}>
    waiting for you
  </button>`;
}

function familyFoot({ session, alive, ended }: FamilyRow, context: RowContext): TemplateResult {
  const parts = [];
  if (session.state === 'asking') parts.push('waits to start');
  if (session.state === 'ending') parts.push('ending');
  if (alive > 0 || session.state === 'running') parts.push(`${alive} running`);
  if (ended > 0) parts.push(`${ended} ended`);
  if (parts.length === 0) parts.push('ended');
  return html`<span class="fam-sub small quiet"
    >${context.isStale ? icon('unknown', 'quiet') : coverageIcon(session.coverage)}<span
      ><span class="vh">${context.isStale ? 'coverage not known' : session.coverage.level}, started by </span
      >${data(clientName(session.client))} ·
      ${parts.join(', ')}${session.cause === undefined ? nothing : html` · ${session.cause}`}</span
    ></span
  >`;
}
