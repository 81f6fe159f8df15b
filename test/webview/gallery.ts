/**
 * Feeds the real bundle one state of the gallery: `gallery.html?state=live&theme=light`. What the panel posts
 * is kept in `window.posted`; `window.feed(state)` sends another one.
 */
import type { FromPanel, PanelState, ToPanel } from '../../src/protocol/panel.ts';
import { now, states } from './states.ts';

declare global {
  interface Window {
    posted: FromPanel[];
    feed(state: PanelState): void;
    reveal(question: string): void;
    states: typeof states;
    acquireVsCodeApi(): unknown;
  }
}

const query = new URLSearchParams(location.search);
const classes = { dark: 'vscode-dark', light: 'vscode-light', hc: 'vscode-high-contrast' } as const;
const theme = query.get('theme') ?? 'dark';
document.body.classList.add(theme in classes ? classes[theme as keyof typeof classes] : classes.dark);

const send = (message: ToPanel): void => window.postMessage(message);
let saved: unknown;
window.posted = [];
window.states = states;
window.feed = (state) => send({ kind: 'state', state, now });
window.reveal = (question) => send({ kind: 'reveal', question });
window.acquireVsCodeApi = () => ({
  postMessage(message: FromPanel): void {
    window.posted.push(message);
    const state = states[query.get('state') ?? 'live'];
    if (message.kind === 'ready' && state !== undefined) window.feed(state);
  },
  getState: () => saved,
  setState(next: unknown): void {
    saved = next;
  },
});
