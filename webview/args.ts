/** Arguments: each on a line of its own, numbered as the kernel numbers them. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Argument } from '../src/core/facts.ts';
import type { Shell } from './shell.ts';
import { count, expander, longData } from './text.ts';

const shownArguments = 12;

/** @param note what to say behind an argument; empty for nothing. */
export function argumentList(
  shell: Shell,
  key: string,
  argv: readonly Argument[],
  note: (index: number) => string = () => '',
): TemplateResult {
  const all = `${key}/all`;
  const isCut = argv.length > shownArguments + 1;
  const shown = isCut && !shell.view.isExpanded(all) ? argv.slice(0, shownArguments) : argv;
  return html`<ol class="args" start="0">
    ${shown.map((argument, index) => {
      const isText = typeof argument === 'string';
      const behind = isText ? note(index) : 'not valid text, as base64';
      return html`<li>
        <span class="idx" aria-hidden="true">${index}</span>
        <span class="argument"
          >${longData(shell, `${key}/${index}`, isText ? argument : argument.base64)}${
            argument === '' ? html`<span class="same">empty</span>` : nothing
          }${behind === '' ? nothing : html` <span class="micro quiet">${behind}</span>`}</span
        >
      </li>`;
    })}
    ${
      isCut
        ? html`<li class="more">
            <span></span
            >${expander(shell, all, `Show ${count(argv.length - shownArguments, 'more argument')}`)}
          </li>`
        : nothing
    }
  </ol>`;
}
