/** What a session's coverage says (DESIGN invariant 7): what is held, and what this kernel leaves open. */
import type { Domain } from '../kernel/landlock.ts';

const held = 'execs and connections held, datagrams judged, not pinned';
const local = 'execs and connections held, no network';

/**
 * @param domain what keeps members from reaching processes outside.
 * @param localOnly no socket of IP is let through.
 */
export function coverageText(domain: Domain, localOnly: boolean): string {
  const whole = localOnly ? local : held;
  switch (domain) {
    case 'signals, abstract sockets and tracing':
      return whole;
    case 'tracing only':
      return `${whole}; signals and abstract sockets to other processes not refused (needs Linux 6.12)`;
    case 'none':
      return `${whole}; signals, tracing and abstract sockets to other processes not refused (no Landlock here)`;
  }
}
