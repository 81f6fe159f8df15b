/** The panel's icons, 16 px, one colour. Shape says it first; colour repeats it. */
import { html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';

const shapes = {
  chevron: svg`<path d="m6 3.5 4.5 4.5L6 12.5"/>`,
  shield: svg`<path d="M8 1.6 13.4 3.5v4.2c0 3.3-2.2 5.6-5.4 6.7-3.2-1.1-5.4-3.4-5.4-6.7V3.5z"/><path d="m5.6 7.9 1.8 1.8 3.2-3.4"/>`,
  eye: svg`<path d="M1.4 8S3.8 3.9 8 3.9 14.6 8 14.6 8 12.2 12.1 8 12.1 1.4 8 1.4 8z"/><circle cx="8" cy="8" r="2"/>`,
  run: svg`<circle cx="8" cy="8" r="3.4" fill="currentColor" stroke="none"/>`,
  ended: svg`<circle cx="8" cy="8" r="3"/>`,
  unknown: svg`<circle cx="8" cy="8" r="3.4" stroke-dasharray="1.6 1.6" stroke-linecap="butt"/>`,
  held: svg`<circle cx="8" cy="8" r="5.6"/><path d="M6.5 5.8v4.4M9.5 5.8v4.4" stroke-width="1.4"/>`,
  slash: svg`<circle cx="8" cy="8" r="5.6"/><path d="m4.2 11.8 7.6-7.6"/>`,
  check: svg`<path d="m3 8.4 3.3 3.3L13 4.6" stroke-width="1.2"/>`,
  checks: svg`<path d="m1.5 8.4 3 3L10.8 5M7.4 11.2l.3.2L14.4 5" stroke-width="1.1"/>`,
  x: svg`<path d="m4 4 8 8M12 4l-8 8"/>`,
  stop: svg`<circle cx="8" cy="8" r="5.6"/><rect x="5.9" y="5.9" width="4.2" height="4.2" fill="currentColor" stroke="none"/>`,
  new: svg`<rect x="2.5" y="2.5" width="11" height="11" rx="1.5"/><path d="M8 5.3v5.4M5.3 8h5.4"/>`,
  script: svg`<path d="M9.3 1.8H4.2a.9.9 0 0 0-.9.9v10.6c0 .5.4.9.9.9h7.6c.5 0 .9-.4.9-.9V5.2zM9.3 1.8v3.4h3.4"/><path d="M6.8 8.2 5.4 9.7l1.4 1.5M9.2 8.2l1.4 1.5-1.4 1.5"/>`,
  clock: svg`<circle cx="8" cy="8" r="5.6"/><path d="M8 4.8V8l2.4 1.6"/>`,
  detached: svg`<path d="M6.6 10.4 5.2 11.8a2.3 2.3 0 0 1-3.2-3.3l2-2a2.3 2.3 0 0 1 2.6-.4M9.4 5.6l1.4-1.4a2.3 2.3 0 0 1 3.2 3.3l-2 2a2.3 2.3 0 0 1-2.6.4"/><path d="M5.6 2.3v1.5M3.4 4.1h1.4M10.4 13.7v-1.5M12.6 11.9h-1.4"/>`,
  warning: svg`<path d="M8 2.2 14.4 13.4H1.6z"/><path d="M8 6.3v3.4"/><circle cx="8" cy="11.5" r=".7" fill="currentColor" stroke="none"/>`,
  error: svg`<circle cx="8" cy="8" r="5.9"/><path d="m5.7 5.7 4.6 4.6M10.3 5.7l-4.6 4.6"/>`,
  info: svg`<circle cx="8" cy="8" r="5.9"/><path d="M8 7.2v3.8"/><circle cx="8" cy="5" r=".75" fill="currentColor" stroke="none"/>`,
  plug: svg`<path d="M5.6 1.8v3.4M10.4 1.8v3.4M3.8 5.2h8.4v2.4a4.2 4.2 0 0 1-8.4 0zM8 11.8v2.6"/>`,
  seal: svg`<circle cx="8" cy="6.4" r="4.6"/><path d="m6 6.4 1.5 1.5L10 5.2M5.4 10.4 4.6 14.5 8 12.8l3.4 1.7-.8-4.1"/>`,
  copy: svg`<rect x="5.5" y="5.5" width="8" height="8.5" rx="1"/><path d="M3.5 10.5h-.3a.9.9 0 0 1-.9-.9V3.2c0-.5.4-.9.9-.9h6.4c.5 0 .9.4.9.9v.4"/>`,
  open: svg`<path d="M9.2 2.5h4.3v4.3M13.3 2.7 7.8 8.2M11.8 9v3.6a.9.9 0 0 1-.9.9H3.4a.9.9 0 0 1-.9-.9V5.1c0-.5.4-.9.9-.9H7"/>`,
  stack: svg`<rect x="2.5" y="5.5" width="8" height="8" rx="1"/><path d="M5.5 5.3V3.4c0-.5.4-.9.9-.9h6.2c.5 0 .9.4.9.9v6.2c0 .5-.4.9-.9.9h-1.9"/>`,
  network: svg`<circle cx="8" cy="8" r="5.6"/><path d="M2.6 8h10.8M8 2.4c1.8 1.7 2.5 3.5 2.5 5.6S9.8 11.9 8 13.6C6.2 11.9 5.5 10.1 5.5 8S6.2 4.1 8 2.4z"/>`,
  listen: svg`<path d="M8 8v6"/><circle cx="8" cy="6" r="1.3" fill="currentColor" stroke="none"/><path d="M5.2 8.8a4 4 0 0 1 0-5.6M10.8 3.2a4 4 0 0 1 0 5.6M3.2 10.4a6.3 6.3 0 0 1 0-8.8M12.8 1.6a6.3 6.3 0 0 1 0 8.8"/>`,
  container: svg`<path d="M8 1.9 13.6 5v6L8 14.1 2.4 11V5z" stroke-dasharray="2 1.3"/><path d="M2.6 5.1 8 8.1l5.4-3M8 8.1V14"/>`,
  unplug: svg`<path d="m2 14 2.6-2.6M4.3 8.2l3.5 3.5-1 1a2.5 2.5 0 0 1-3.5-3.5zM14 2l-2.6 2.6M11.7 7.8 8.2 4.3l1-1a2.5 2.5 0 0 1 3.5 3.5zM6.4 7.4 7.8 6M8.6 9.6 10 8.2"/>`,
} satisfies Record<string, SVGTemplateResult>;

export type IconName = keyof typeof shapes;
export type Tone = 'plain' | 'quiet' | 'ok' | 'info' | 'warn' | 'error';

/** Always hidden from readers: the text beside an icon says the same. */
export function icon(name: IconName, tone: Tone = 'plain'): TemplateResult {
  return html`<svg class="icon ${tone}" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <g fill="none" stroke="currentColor" stroke-width="1.1" stroke-linecap="round" stroke-linejoin="round">
      ${shapes[name]}
    </g>
  </svg>`;
}
