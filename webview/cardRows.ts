/**
 * A card's facts. A row's value is always whole; its detail, where there is one, shows the same richer.
 * Notes and values were made visible by the desk; a detail's paths, arguments, texts and claims are raw.
 */
import { html, nothing, type TemplateResult } from 'lit';
import { visibleText } from '../src/core/consequence/visible.ts';
import type { Row, RowDetail } from '../src/protocol/desk.ts';
import { argumentList } from './args.ts';
import { icon } from './icons.ts';
import { requestArguments } from './requestArguments.ts';
import { script } from './script.ts';
import type { Shell } from './shell.ts';
import { data, expander, longData, told } from './text.ts';

/** `wide` rows take the whole width: their label is for readers only. */
export function cardRow(shell: Shell, id: string, row: Row): TemplateResult {
  const key = `card/${id}/${row.label}`;
  const isWide = row.detail?.kind === 'script';
  return html`<div class="fact ${isWide ? 'wide' : ''}">
    <dt class=${isWide ? 'vh' : ''}>${row.label}</dt>
    <dd>${body(shell, key, row)}</dd>
  </div>`;
}

function body(shell: Shell, key: string, row: Row): TemplateResult {
  const { detail } = row;
  if (detail === undefined) return lines(shell, key, row.value, () => false);
  switch (detail.kind) {
    case 'argv':
      return argv(shell, key, row.value, detail);
    case 'path':
      return html`${longData(shell, `${key}/path`, detail.path)}${detail.notes.map((note) =>
        noteLine(shell, key, note),
      )}`;
    case 'claim':
      return claim(shell, key, detail);
    case 'warning': {
      const warnings = new Set(detail.warnings.map((warning) => visibleText(warning)));
      return lines(shell, key, row.value, (line) => warnings.has(line));
    }
    case 'script':
      return script(shell, key, detail.origin, detail.text);
    case 'request':
      return html`<span class="chip mono">${data(detail.label)}</span> ${requestArguments(
          shell,
          key,
          detail.arguments,
        )}`;
  }
}

/** Lines plain, warnings with their icon, lists of names folded when they are long. */
function lines(
  shell: Shell,
  key: string,
  value: string,
  isWarning: (line: string) => boolean,
): TemplateResult {
  return html`${value.split('\n').map((line, index) => {
    if (isWarning(line)) return warningLine(line);
    const names = line.split(', ');
    return names.length > mostNames ? nameList(shell, `${key}/${index}`, names) : html`<p>${told(line)}</p>`;
  })}`;
}

/** More names than this on one line, and the rest is counted until it is asked for. */
const mostNames = 12;
const shownNames = 8;

function nameList(shell: Shell, key: string, names: readonly string[]): TemplateResult {
  const shown = shell.view.isExpanded(key) ? names : names.slice(0, shownNames);
  return html`<p>
    ${told(shown.join(', '))} ${expander(shell, key, `Show ${names.length - shownNames} more`)}
  </p>`;
}

function warningLine(line: string): TemplateResult {
  return html`<p class="sub warn-t">${icon('warning', 'warn')}<span>${told(line)}</span></p>`;
}

const digest = /^(sha256) ([0-9a-f]{64})$/u;
/** The desk's own words for a file that the family could replace. */
const writable = /The agent can write it\.$/u;

function noteLine(shell: Shell, key: string, note: string): TemplateResult {
  const [, name, digits] = digest.exec(note) ?? [];
  if (name !== undefined && digits !== undefined) return digestLine(shell, key, name, digits);
  if (writable.test(note)) return warningLine(note);
  return html`<p class="sub"><span>${told(note)}</span></p>`;
}

function digestLine(shell: Shell, key: string, name: string, digits: string): TemplateResult {
  const all = `${key}/${digits}`;
  const isWhole = shell.view.isExpanded(all);
  const blocks = digits.match(/.{8}/gu) ?? [];
  const shown = isWhole ? blocks.join(' ') : `${blocks.slice(0, 2).join(' ')}…`;
  return html`<p class="sub">
    <span><code>${name} ${shown}</code> ${expander(shell, all, 'Show 64 digits')}</span>
  </p>`;
}

function argv(
  shell: Shell,
  key: string,
  value: string,
  detail: Extract<RowDetail, { kind: 'argv' }>,
): TemplateResult {
  const written = value.split('\n');
  const note = (index: number): string =>
    /\((not valid text, [^()]*)\)$/u.exec(written[index] ?? '')?.[1] ?? '';
  const rest = written.slice(detail.argv.length).filter((line) => line !== '');
  return html`${
    detail.argv.length === 0 ? nothing : argumentList(shell, key, detail.argv, note)
  }${rest.map((line) => warningLine(line))}`;
}

function claim(shell: Shell, key: string, detail: Extract<RowDetail, { kind: 'claim' }>): TemplateResult {
  const [first = '', ...notes] = detail.notes;
  return html`<code>${told(first)}</code>${notes.map((note) => noteLine(shell, key, note))}
    <p class="sub">
      <span>Calls itself “${data(detail.claim)}” <span class="claim">its own claim</span></span>
    </p>`;
}
