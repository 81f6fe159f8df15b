/** What a session's coverage says (DESIGN invariant 7): what is held, and what this kernel leaves open. */
import type { Domain } from '../kernel/landlock.ts';

const held = 'execs and connections held, datagrams judged, not pinned';

/** @param domain what keeps members from reaching processes outside. */
export function coverageText(domain: Domain): string {
  switch (domain) {
    case 'signals, abstract sockets and tracing':
      return held;
    case 'tracing only':
      return `${held}; signals and abstract sockets to other processes not refused (needs Linux 6.12)`;
    case 'none':
      return `${held}; signals, tracing and abstract sockets to other processes not refused (no Landlock here)`;
  }
}
