/** A section of the panel with its head, as the editor's own views have it. */
import { html, nothing, type TemplateResult } from 'lit';
import { icon } from './icons.ts';
import type { Shell } from './shell.ts';

export function pane(
  shell: Shell,
  id: string,
  title: string,
  entries: number,
  body: () => unknown,
): TemplateResult {
  const key = `pane/${id}`;
  const isExpanded = shell.view.isExpanded(key, true);
  const flip = (): void => {
    shell.view.toggle(key);
    shell.redraw();
  };
  return html`<section class="pane" aria-labelledby="pane-${id}">
    <div class="pane-head">
      <button type="button" class="pane-toggle" aria-expanded=${isExpanded} @click=${flip}>
        <span class="twist">${icon('chevron')}</span>
        <h2 id="pane-${id}">${title}</h2>
      </button>
      ${entries > 0 ? html`<span class="count num">${entries}</span>` : nothing}
    </div>
    ${isExpanded ? html`<div class="pane-body">${body()}</div>` : nothing}
  </section>`;
}
