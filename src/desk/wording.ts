/** Sentences for agents and clients: what was denied and by which rule. */
import { visibleText } from '../core/consequence/visible.ts';
import type { ExecFacts } from '../core/facts.ts';
import type { Rule } from '../protocol/desk.ts';

/** By which rule, in words that tell the next step where there is one. Other rules speak for themselves. */
const byRule: Partial<Record<Rule, string>> = {
  'denied by reviewer': 'denied by the reviewer',
  'contained by reviewer': 'the reviewer contained the session',
  'no reviewer connected':
    'no reviewer connected; open an editor with Kinwatch, run “Kinwatch: Show Panel” and try again',
  'record could not be written': 'its record could not be written; free disk space and try again',
  'defined in an untrusted workspace':
    'defined in a workspace that is not trusted; trust it in the editor first',
};

function wordsOf(rule: Rule): string {
  return byRule[rule] ?? rule;
}

export function programName(facts: ExecFacts): string {
  const { executable, script, inline } = facts.program;
  const tail =
    script === undefined
      ? inline === undefined
        ? ''
        : ` ${visibleText(inline.option)}`
      : ` ${visibleText(script.path)}`;
  return `${visibleText(executable.path)}${tail}`;
}

export function execDenied(facts: ExecFacts, rule: Rule): string {
  return `Kinwatch denied ${programName(facts)}: ${wordsOf(rule)}`;
}

export function startDenied(server: string, rule: Rule): string {
  return `Kinwatch denied the start of ${visibleText(server)}: ${wordsOf(rule)}`;
}

/** Becomes the cause on the certificate. */
export function containedBy(who: 'reviewer' | 'operator' | 'grant' | 'desk'): string {
  return who === 'operator' ? 'contained from the command line' : `contained by the ${who}`;
}

export function startWaits(server: string): string {
  return `${visibleText(server)} is waiting for approval in Kinwatch (no answer in time). Allow it there, then start it again.`;
}

export function execAllowed(facts: ExecFacts, scope: 'once' | 'session'): string {
  return `${programName(facts)} was allowed ${scope === 'once' ? 'once' : 'for this session'}`;
}

export function startAllowed(server: string, scope: 'once' | 'session'): string {
  return `the start of ${visibleText(server)} was allowed ${scope === 'once' ? 'once' : 'for this client'}`;
}
