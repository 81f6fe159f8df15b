/**
 * Addresses that are tried one after another for one name are one question: its answer counts for the others, until
 * one of them answered. The same address a second time is another connection.
 */
import type { Rule } from '../../protocol/desk.ts';
import type { Session } from '../sessions.ts';
import type { Matter } from './matter.ts';

export type Verdict =
  | { readonly kind: 'allow'; readonly scope: 'once' | 'session' }
  | { readonly kind: 'deny'; readonly rule: Rule };

/** Longer than a system waits for one address that stays silent: about 130 s (`tcp(7)`, tcp_syn_retries). */
const remembersMs = 180_000;

interface Key {
  readonly pid: number;
  readonly startedAt: string;
}

interface Answer {
  readonly verdict: Verdict;
  readonly question: string;
  readonly destination: string;
  readonly tried: Set<string>;
  readonly until: number;
}

export class SameName {
  private readonly answers = new WeakMap<Session, Map<string, Answer>>();

  /** @param clock milliseconds that never step back. */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  remember(session: Session, matters: readonly Matter[], verdict: Verdict, question: string): void {
    const known = this.answers.get(session) ?? new Map<string, Answer>();
    this.answers.set(session, known);
    const now = this.clock();
    for (const [key, { until }] of known) if (until <= now) known.delete(key);
    for (const matter of matters) {
      if (matter.address === undefined) continue;
      const { destination, address } = matter.address;
      const key = keyOf(matter);
      const before = known.get(key);
      const tried = before?.question === question ? before.tried : new Set<string>();
      known.set(key, {
        verdict,
        question,
        destination,
        tried: tried.add(address),
        until: now + remembersMs,
      });
    }
  }

  /** The answer that counts for this address too. It is then tried. */
  find(session: Session, matter: Matter): { verdict: Verdict; question: string } | undefined {
    if (matter.address === undefined) return undefined;
    const answer = this.answers.get(session)?.get(keyOf(matter));
    if (answer === undefined || answer.until <= this.clock() || answer.tried.has(matter.address.address))
      return undefined;
    answer.tried.add(matter.address.address);
    return answer;
  }

  /** One address answered: what this process tries there next is a new connection. */
  reached(session: Session, process: Key, destination: string): void {
    const known = this.answers.get(session);
    for (const [key, answer] of known ?? [])
      if (key.startsWith(processKey(process)) && answer.destination === destination) known?.delete(key);
  }
}

function keyOf({ facts, joins }: Matter): string {
  return `${processKey(facts)}${joins ?? ''}`;
}

function processKey({ pid, startedAt }: Key): string {
  return `${pid} ${startedAt} `;
}
