/** The arguments of a request, each by its name. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Shell } from './shell.ts';
import { count, data, expander, longData } from './text.ts';

const shownEntries = 3;

/** @param text JSON as the client sent it; anything but an object is shown as it is. */
export function requestArguments(shell: Shell, key: string, text: string): TemplateResult {
  const entries = entriesOf(text);
  if (entries === null) {
    return html`<p class="block">${longData(shell, `${key}/text`, text, 'block')}</p>`;
  }
  if (entries.length === 0) return html`<span class="quiet small">no arguments</span>`;
  const all = `${key}/entries`;
  const isCut = entries.length > shownEntries + 1;
  const shown = isCut && !shell.view.isExpanded(all) ? entries.slice(0, shownEntries) : entries;
  return html`<dl class="kv">
      ${shown.map(
        ([name, value]) =>
          html`<dt>${data(name)}</dt>
            <dd>${longData(shell, `${key}/entry/${name}`, value)}</dd>`,
      )}
    </dl>
    ${isCut ? expander(shell, all, `Show ${count(entries.length - shownEntries, 'more argument')}`) : nothing}`;
}

function entriesOf(text: string): [string, string][] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON (masked, or cut by the desk): the text itself is shown instead.
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  // A name written twice would vanish here, and a number may lose digits; then the text itself is shown.
  const entries = Object.entries(value);
  const again = JSON.stringify(value).replaceAll(/\s/gu, '');
  if (again.length !== text.replaceAll(/\s/gu, '').length) return null;
  return entries.map(([name, each]) => [name, JSON.stringify(each)]);
}
