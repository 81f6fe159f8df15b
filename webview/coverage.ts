/** How much of a family is seen. Its text comes from the desk and is shown as it is, never more. */
import type { TemplateResult } from 'lit';
import type { Coverage, SessionView } from '../src/protocol/desk.ts';
import { icon } from './icons.ts';
import { sentence } from './text.ts';

const rank = { sampled: 0, observed: 1, held: 2 } as const;

export function isLive(session: SessionView): boolean {
  return session.state !== 'ended';
}

function gapCount(coverage: Coverage): number {
  return Object.values(coverage.gaps).reduce((sum, each) => sum + each, 0);
}

/** Of the lowest level; among equals the one with the most gaps. Undefined without a family. */
export function weakestCoverage(live: readonly SessionView[]): Coverage | undefined {
  return live
    .map((each) => each.coverage)
    .toSorted((a, b) => rank[a.level] - rank[b.level] || gapCount(b) - gapCount(a))[0];
}

export function coverageTitle(coverage: Coverage): string {
  const gaps = Object.entries(coverage.gaps).map(([what, number]) => `${what}: ${number}`);
  return `${sentence(coverage.text)}. Gaps: ${gaps.length === 0 ? '0' : gaps.join(', ')}.`;
}

export function coverageIcon(coverage: Coverage): TemplateResult {
  return icon(coverage.level === 'held' ? 'shield' : 'eye', gapCount(coverage) > 0 ? 'warn' : 'quiet');
}
