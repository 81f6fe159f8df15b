/** What was refused, newest first, and what the workspace proposes and Kinwatch leaves alone. */
import { html, nothing, type TemplateResult } from 'lit';
import { icon } from './icons.ts';
import { ruleWords } from './ruleWords.ts';
import type { Shell } from './shell.ts';
import { count, data, expander, told } from './text.ts';
import { clockTime } from './time.ts';

const shownRefusals = 3;

export function refusals(shell: Shell): TemplateResult | typeof nothing {
  const all = shell.state.refusals.toReversed();
  if (all.length === 0) return nothing;
  const key = 'refusals';
  const shown = shell.view.isExpanded(key) ? all : all.slice(0, shownRefusals);
  return html`<div class="refusals" role="group" aria-label="Refused">
    <ul>
      ${shown.map(
        (each) =>
          html`<li class="note small">
            ${icon('slash', 'quiet')}
            <span
              >${told(each.text)}${ruleWords[each.rule] === undefined ? nothing : html`<br /><span class="quiet">${ruleWords[each.rule]}</span>`}<br /><span
                class="micro num"
                >${clockTime(each.at)} UTC</span
              ></span
            >
          </li>`,
      )}
    </ul>
    ${
      all.length > shownRefusals
        ? html`<p class="note-more">
            ${expander(shell, key, `Show ${all.length - shownRefusals} more refusals`)}
          </p>`
        : nothing
    }
  </div>`;
}

export function proposals(shell: Shell): TemplateResult | typeof nothing {
  const { proposals: names } = shell.state;
  if (names.length === 0) return nothing;
  const key = 'proposals';
  const shown = shell.view.isExpanded(key) ? names : names.slice(0, shownRefusals);
  return html`<p class="note small">
    ${icon('info', 'quiet')}
    <span
      >This workspace proposes ${count(names.length, 'server')} in <code>.vscode/mcp.json</code>:
      ${shown.map((name, index) => html`${index > 0 ? ', ' : ''}${data(name)}`)}.
      ${
        names.length > shownRefusals
          ? expander(shell, key, `Show ${names.length - shownRefusals} more`)
          : nothing
      }
      Kinwatch doesn’t start ${names.length === 1 ? 'it, and doesn’t see it' : 'them, and doesn’t see them'}
      when the editor does.</span
    >
  </p>`;
}
