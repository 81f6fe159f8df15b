/** The one place that talks to the editor: messages out, and what is kept while the view is away. */
import type { FromPanel } from '../src/protocol/panel.ts';

interface Host {
  postMessage(message: FromPanel): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): Host;

/** May be called once in the life of a page. */
export function connectHost(): Host {
  return acquireVsCodeApi();
}

export type { Host };
