/** What stands above the sections: the desk is away, Restricted Mode, a configuration that cannot be used. */
import { html, nothing, type TemplateResult } from 'lit';
import { icon, type IconName, type Tone } from './icons.ts';
import type { Shell } from './shell.ts';
import { told } from './text.ts';
import { clockTime } from './time.ts';

export function notices(shell: Shell): TemplateResult {
  const { restricted, serversError } = shell.state;
  return html`${deskNotice(shell)}
  ${
    restricted
      ? notice(
          'status',
          'shield',
          'plain',
          html`<p>
            <strong>Restricted Mode.</strong> This folder isn’t trusted, so its MCP servers aren’t started.
            You can still watch, deny and contain.
          </p>`,
        )
      : nothing
  }
  ${
    serversError === undefined
      ? nothing
      : notice(
          'alert',
          'error',
          'error',
          html`<p><strong>servers.jsonc can’t be used.</strong></p>
            <p class="reason">${told(serversError)}</p>
            <p class="acts">${openServers(shell)}</p>`,
        )
  }`;
}

function deskNotice(shell: Shell): TemplateResult | typeof nothing {
  const { desk } = shell.state;
  switch (desk.kind) {
    case 'connecting':
    case 'connected':
      return nothing;
    case 'lost':
      return notice(
        'alert',
        'error',
        'error',
        html`<p>
            <strong
              >Nothing is released. <span class="num">${deadline(shell, desk.familiesEndAt)}</span></strong
            >
          </p>
          <p>
            The desk hasn’t answered since ${clockTime(desk.since)} UTC. You can’t allow, deny or contain from
            here until it’s back. From a terminal: <code>kinwatch doctor</code>
          </p>`,
      );
    case 'refused':
      return notice(
        'alert',
        'slash',
        'error',
        html`<p><strong>The desk refused this editor.</strong></p>
          <p class="reason">${told(desk.reason)}</p>`,
      );
    case 'failed':
      return notice(
        'alert',
        'error',
        'error',
        html`<p><strong>The desk could not be started.</strong></p>
          <p class="reason">${told(desk.reason)}</p>
          <p class="small quiet">
            Without it no server starts. From a terminal: <code>kinwatch doctor</code>
          </p>`,
      );
  }
}

/** The count down is silent: an alert reads its first text, not every second of it. */
function deadline(shell: Shell, familiesEndAt: string): TemplateResult {
  const seconds = Math.ceil((Date.parse(familiesEndAt) - shell.clock.now()) / 1000);
  return seconds > 0
    ? html`Families end in <span role="timer" aria-live="off">${seconds} s</span> unless the desk returns.`
    : html`Time is up: supervisors end their families now.`;
}

function notice(role: 'alert' | 'status', name: IconName, tone: Tone, body: TemplateResult): TemplateResult {
  return html`<div class="notice ${tone}" role=${role}>
    ${icon(name, tone)}
    <div>${body}</div>
  </div>`;
}

export function openServers(shell: Shell, primary = false): TemplateResult {
  return html`<vscode-button
    class="btn ${primary ? 'primary' : ''}"
    appearance=${primary ? 'primary' : 'secondary'}
    @click=${() => shell.post({ kind: 'openServers' })}
    >Open configuration</vscode-button
  >`;
}
