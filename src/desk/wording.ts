/** Sentences for agents and clients: what was denied and by which rule. */
import { connectionPlace } from '../core/consequence/connectionWords.ts';
import { visibleText } from '../core/consequence/visible.ts';
import type { ConnectionFacts, ExecFacts } from '../core/facts.ts';
import type { Rule } from '../protocol/desk.ts';

/** By which rule, in words that tell the next step where there is one. Other rules speak for themselves. */
const byRule: Partial<Record<Rule, string>> = {
  'denied by reviewer': 'denied by the reviewer',
  'contained by reviewer': 'the reviewer contained the session',
  'too many questions at once': 'the session asked more than a person can answer; do fewer things at once',
  'no reviewer connected':
    'no reviewer connected; open an editor with Kinwatch, run “Kinwatch: Show Panel” and try again',
  'record could not be written': 'its record could not be written; free disk space and try again',
  'defined in an untrusted workspace':
    'defined in a workspace that is not trusted; trust it in the editor first',
};

function wordsOf(rule: Rule): string {
  return byRule[rule] ?? rule;
}

export function programName({ program }: Pick<ExecFacts, 'program'>): string {
  const { executable, script, inline } = program;
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

/** "the connection of /usr/bin/ssh to build.example port 22", "/usr/bin/node listening on port 8080". */
function connectionName(facts: ConnectionFacts): string {
  const program = programName(facts);
  const place = connectionPlace(facts);
  if (facts.action === 'listen') return `${program} listening on ${place}`;
  return facts.endpoint.kind === 'inet'
    ? `the connection of ${program} to ${place}`
    : `${program} reaching ${place}`;
}

/** What a record of its decision is about. */
export function connectionSubject(facts: ConnectionFacts): string {
  const { script, executable } = facts.program;
  return `${(script ?? executable).path} ${facts.action === 'listen' ? 'on' : 'to'} ${connectionPlace(facts)}`;
}

export function connectionDenied(facts: ConnectionFacts, rule: Rule): string {
  return `Kinwatch denied ${connectionName(facts)}: ${wordsOf(rule)}`;
}

export function startDenied(server: string, rule: Rule): string {
  return `Kinwatch denied the start of ${visibleText(server)}: ${wordsOf(rule)}`;
}

/** Becomes the cause on the certificate. */
export function containedBy(who: 'reviewer' | 'operator' | 'grant' | 'desk'): string {
  return who === 'operator' ? 'contained from the command line' : `contained by the ${who}`;
}

/** Causes on the certificates of families that an earlier desk left behind. */
export const leftBehind = {
  alone: 'desk and supervisor were both gone while it ran; the next desk ended it',
  silent: 'its supervisor did not take it up again with the next desk',
  reboot: 'the machine was started anew while it ran',
  coverage: 'left behind by an earlier desk; not watched since',
};

export function supervisorSilent(silentMs: number): string {
  return `the supervisor gave no sign of life for ${Math.round(silentMs / 1000)} s`;
}

export function refusalsCounted(count: number, rule: Rule, exe: string, since: string): string {
  const whose = exe === '' ? '' : ` of ${visibleText(exe)}`;
  return `${count} more refusals${whose} since ${since} were counted and not listed: ${rule}`;
}

export function installationChanged(path: string, server: string): string {
  return (
    `${visibleText(path)} was changed while ${visibleText(server)} ran; ` +
    'if that was not you, check what it holds before anything is started again'
  );
}

export function startWaits(server: string): string {
  return `${visibleText(server)} is waiting for approval in Kinwatch (no answer in time). Allow it there, then start it again.`;
}

export function execAllowed(facts: ExecFacts, scope: 'once' | 'session'): string {
  return `${programName(facts)} was allowed ${scope === 'once' ? 'once' : 'for this session'}`;
}

export function connectionAllowed(facts: ConnectionFacts, scope: 'once' | 'session'): string {
  return `${connectionName(facts)} was allowed ${scope === 'once' ? 'once' : 'for this session'}`;
}

export function startAllowed(server: string, scope: 'once' | 'session'): string {
  return `the start of ${visibleText(server)} was allowed ${scope === 'once' ? 'once' : 'for this client'}`;
}
