/** Text from a family is data: hidden characters as tokens, isolated from the direction of what stands around it. */
import { html, type TemplateResult } from 'lit';
import { visible, type VisibleLayout, type VisiblePiece } from '../src/core/consequence/visible.ts';
import type { HeadlinePart } from '../src/protocol/desk.ts';
import type { Shell } from './shell.ts';

/** Longer text is no path; it breaks where it must. */
const longestPath = 400;

/** A path breaks behind its slashes first. */
function breakable(text: string): TemplateResult | string {
  if (!text.includes('/') || text.length > longestPath) return text;
  return html`${text.split(/(?<=[^/]\/)(?=[^/])/u).map((part, index) => (index === 0 ? part : html`<wbr />${part}`))}`;
}

function piece(each: VisiblePiece): TemplateResult | string {
  if (each.kind === 'text') return each.text;
  const name = each.name ?? each.text;
  return html`<span class="hid" role="img" aria-label="hidden character ${name}" title=${name}
    >${each.text}</span
  >`;
}

function wrapping(each: VisiblePiece): TemplateResult | string {
  return each.kind === 'text' ? breakable(each.text) : piece(each);
}

/** Text as the family wrote it, for a line that is not wrapped. */
export function data(text: string, layout: VisibleLayout = 'line'): TemplateResult {
  return html`<bdi>${visible(text, layout).map(piece)}</bdi>`;
}

/** Tokens as `visibleText` writes them; its brackets cannot come from a family. One alone was cut by the desk. */
const written = /⟦([^⟦⟧]*)⟧/u;
const alone = /([⟦⟧])/u;

/** Text that the host made visible already: its tokens become chips again. */
export function told(text: string): (TemplateResult | string)[] {
  return text.split(written).flatMap((part, index) => {
    if (index % 2 === 1) return [piece({ kind: 'token', text: part })];
    return part
      .split(alone)
      .flatMap((each, at) => (at % 2 === 1 ? [each] : visible(each, 'block').map(wrapping)));
  });
}

/** A headline: its code parts come from a family. */
export function headline(parts: readonly HeadlinePart[]): TemplateResult[] {
  return parts.map((part) =>
    part.kind === 'code' ? html`<bdi><code>${told(part.text)}</code></bdi>` : html`${part.text}`,
  );
}

/** As the beginning of a line; the desk's words may also stand inside a sentence. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const numbers = new Intl.NumberFormat('en-US');

/** `1 process`, `4,096 characters`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${numbers.format(number)} ${number === 1 ? one : many}`;
}

/** A button that shows what was left out; its words carry the count. */
export function expander(shell: Shell, key: string, more: string, less = 'Show less'): TemplateResult {
  const isExpanded = shell.view.isExpanded(key);
  const flip = (): void => {
    shell.view.toggle(key);
    shell.redraw();
  };
  return html`<button type="button" class="link small" aria-expanded=${isExpanded} @click=${flip}>
    ${isExpanded ? less : more}
  </button>`;
}

/** Longest stretch of text that is shown whole without asking. */
const longestText = 360;

/** Data of any length: the middle is left out until it is asked for. */
export function longData(
  shell: Shell,
  key: string,
  text: string,
  layout: VisibleLayout = 'line',
): TemplateResult {
  const characters = [...text];
  if (characters.length <= longestText) {
    return html`<bdi><code>${visible(text, layout).map(wrapping)}</code></bdi>`;
  }
  const toggle = expander(shell, key, `Show all ${count(characters.length, 'character')}`);
  if (shell.view.isExpanded(key)) return html`<code>${data(text, layout)}</code> ${toggle}`;
  const head = characters.slice(0, 200).join('');
  const tail = characters.slice(-60).join('');
  const left = count(characters.length - 260, 'character');
  return html`<code>${data(head, layout)}</code><span class="same"> … ${left} left out … </span
    ><code>${data(tail, layout)}</code> ${toggle}`;
}

/** The last name of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** An id for `aria-labelledby`, whatever the wire's id looks like. */
export function domId(prefix: string, id: string): string {
  return `${prefix}-${id.replaceAll(/[^\w-]/gu, '_')}`;
}
