/** Every waiting time of the desk, in milliseconds. Tests give shorter ones. */
export interface Timings {
  /** From the last session and connection to the desk's own end. */
  readonly idleMs: number;
  /** A connection that has not said hello by then is closed. */
  readonly helloMs: number;
  /** A held program is denied when no reviewer was connected for so long. */
  readonly noReviewerMs: number;
  /** How long an allow that came while nobody waited counts for the next launch. */
  readonly lateAllowMs: number;
  /** How often clients are looked at that hold a waiting start or a grant. */
  readonly sweepMs: number;
  /**
   * A supervisor that was not heard for so long, while its family runs, is dead to the desk. Five heartbeats: with
   * thirty busy processes on two cores (load 20) no two of them were more than 2.2 s apart.
   */
  readonly silentMs: number;
  /** How long a recorded family waits for its living supervisor. That one gives up by itself after five seconds. */
  readonly takeUpMs: number;
  /** From the desk's start to the reading of its own files: whoever it was started for comes first. */
  readonly settleMs: number;
  /** After a Contain without the supervisor's last word, the desk ends the family itself. */
  readonly containMs: number;
  /** For writing the evidence, while the family stands still. */
  readonly evidenceMs: number;
  /** For the first and the last look at start-up places. The last one stands in front of the certificate. */
  readonly firstLookMs: number;
  readonly lastLookMs: number;
  /** How long a second desk waits for the lock of one that is just ending. */
  readonly lockMs: number;
  /** How long an ended session stays in view. */
  readonly endedViewMs: number;
}

export const timings: Timings = {
  idleMs: 60_000,
  helloMs: 5_000,
  noReviewerMs: 10_000,
  lateAllowMs: 600_000,
  sweepMs: 1_000,
  silentMs: 10_000,
  takeUpMs: 5_000,
  settleMs: 2_000,
  containMs: 10_000,
  evidenceMs: 1_000,
  firstLookMs: 2_000,
  lastLookMs: 1_000,
  lockMs: 1_000,
  endedViewMs: 600_000,
};
