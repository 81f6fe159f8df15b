/** Before anything was started: what Kinwatch does and the one next step. */
import { html, nothing, type TemplateResult } from 'lit';
import { openServers } from './notice.ts';
import { proposals } from './refusals.ts';
import type { Shell } from './shell.ts';
import { count, data } from './text.ts';

export function welcome(shell: Shell): TemplateResult {
  const { servers } = shell.state;
  return html`<main class="welcome">
    <h2>Nothing is under watch yet</h2>
    <p>
      Kinwatch starts your local MCP servers for you, shows every program they start, and asks you at the few
      moments that matter.
    </p>
    <ol class="steps">
      ${step(
        1,
        'Put a server under supervision',
        servers.length === 0 ? firstServer(shell) : chooseServer(shell),
      )}
      ${step(
        2,
        'Answer its first question',
        html`<p>
          Before a server starts you see its command, its file and the names of the variables it gets.
        </p>`,
      )}
      ${step(
        3,
        'Work as usual',
        html`<p>Its start-up runs unasked. After that, each new program waits for you before it runs.</p>`,
      )}
    </ol>
    ${proposals(shell)}
  </main>`;
}

function step(number: number, title: string, body: TemplateResult): TemplateResult {
  return html`<li>
    <span class="step-n" aria-hidden="true">${number}</span>
    <div>
      <h3>${title}</h3>
      ${body}
    </div>
  </li>`;
}

function firstServer(shell: Shell): TemplateResult {
  return html`<p>Write its command into <code>servers.jsonc</code>. No server is configured so far.</p>
    <p class="acts">${openServers(shell, true)}</p>`;
}

function chooseServer(shell: Shell): TemplateResult {
  const { servers } = shell.state;
  const shown = servers.slice(0, 3);
  const rest = servers.length - shown.length;
  return html`<p>
      ${count(servers.length, 'server')} configured:
      ${shown.map((each, index) => html`${index > 0 ? ', ' : ''}${data(each.name)}`)}${
        rest > 0 ? ` and ${rest} more` : nothing
      }.
    </p>
    <p class="acts">
      <vscode-button
        class="btn primary"
        appearance="primary"
        @click=${() => shell.post({ kind: 'startServer' })}
        >Choose servers…</vscode-button
      >${openServers(shell)}
    </p>`;
}
