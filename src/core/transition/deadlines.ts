/**
 * How long a client waits, so that a question is closed before it gives up. Measured figures by client; what a
 * client says or looks like decides nothing but this waiting time.
 */

export interface ClientLook {
  /** Real path of its executable, when known. */
  readonly exe?: string;
  readonly argv: readonly string[];
  /** The name in its `initialize`. */
  readonly claimedName?: string;
}

interface Patience {
  readonly match: RegExp;
  /** Milliseconds until the client gives up a start. */
  readonly startMs: number;
  /** Milliseconds a tool call may be held. */
  readonly callMs: number;
}

const defaultPatience = { startMs: 31_250, callMs: 55_000 };
/** Share of a client's own limit after which a start is answered. */
const startShare = 0.8;

const table: readonly Patience[] = [
  {
    match: /visual studio code|vscode|code-server|--type=extensionHost/iu,
    startMs: 130_000,
    callMs: 120_000,
  },
  { match: /claude/iu, startMs: 30_000, callMs: 120_000 },
  { match: /codex/iu, startMs: 30_000, callMs: 120_000 },
  { match: /gemini.*\bmcp\b.*\blist\b/iu, startMs: 5_000, callMs: 55_000 },
  { match: /gemini/iu, startMs: 130_000, callMs: 120_000 },
  { match: /qwen.*\bmcp\b.*\blist\b/iu, startMs: 10_000, callMs: 55_000 },
  { match: /qwen/iu, startMs: 30_000, callMs: 120_000 },
  { match: /opencode/iu, startMs: 30_000, callMs: 55_000 },
  { match: /inspector/iu, startMs: 15_000, callMs: 55_000 },
  { match: /cline/iu, startMs: 3_000, callMs: 55_000 },
  { match: /mcpc|continue/iu, startMs: 60_000, callMs: 55_000 },
];

function patienceOf(client: ClientLook): { startMs: number; callMs: number } {
  const text = [client.claimedName ?? '', client.exe ?? '', ...client.argv].join(' ');
  return table.find((entry) => entry.match.test(text)) ?? defaultPatience;
}

/** Milliseconds a start is held before the client is told to start again. Unknown clients: 25 s. */
export function startHoldMs(client: ClientLook): number {
  return Math.round(patienceOf(client).startMs * startShare);
}

/** Milliseconds a held call is kept open. */
export function callHoldMs(client: ClientLook): number {
  return patienceOf(client).callMs;
}
