/** Text that will run, line by line, with where it comes from. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Shell } from './shell.ts';
import { count, expander, longData, told } from './text.ts';

const shownLines = 14;

export function script(shell: Shell, key: string, origin: string, text: string): TemplateResult {
  const lines = text.split('\n');
  const all = `${key}/lines`;
  const isCut = lines.length > shownLines + 1;
  const shown = isCut && !shell.view.isExpanded(all) ? lines.slice(0, shownLines) : lines;
  return html`<figure class="script" aria-label="Text that will run, ${origin}">
    <figcaption>
      <span class="ellip small">${told(origin)}</span><span class="grow"></span
      ><span class="num micro quiet">${count(lines.length, 'line')}</span>
    </figcaption>
    <ol class="lines">
      ${shown.map(
        (line, index) =>
          html`<li>
            <span class="sign num" aria-hidden="true">${index + 1}</span>
            <span class="block">${longData(shell, `${key}/line/${index}`, line, 'block')}</span>
          </li>`,
      )}
    </ol>
    ${
      isCut
        ? html`<p class="script-more">
            ${expander(shell, all, `Show ${count(lines.length - shownLines, 'more line')}`)}
          </p>`
        : nothing
    }
  </figure>`;
}
