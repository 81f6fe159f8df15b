/** How long an orderly end waits for a family to end by itself. */
export interface EndTimes {
  /** From closing stdin to TERM. */
  readonly closeMs: number;
  /** From TERM to KILL. */
  readonly termMs: number;
}

/** Browsers need this long to close. `servers.jsonc` may say otherwise for a server. */
export const defaultEndTimes: EndTimes = { closeMs: 5000, termMs: 2000 };
