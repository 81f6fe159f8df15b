/** Which variables of the client's environment a family receives (DESIGN §1, invariant 6). */
import { namesSecret, redact } from '../redaction/redact.ts';

export interface FamilyEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names passed on from the client, sorted. */
  readonly passed: readonly string[];
  /** Names that the configuration sets on purpose, sorted. */
  readonly configured: readonly string[];
  /** Names kept away from the family, sorted. */
  readonly dropped: readonly string[];
}

/** The editor's and Kinwatch's own variables: control sockets, session tokens, run modes. */
const internal = /^(?:VSCODE_|ELECTRON_|KINWATCH_|CODE_SERVER_|CURSOR_TRACE|CLAUDECODE|CLAUDE_CODE_)/u;

/**
 * @param inherited the client's variables.
 * @param configured what a configuration names on purpose; passes even when it looks like a secret.
 */
export function familyEnvironment(
  inherited: ReadonlyMap<string, string>,
  configured: Readonly<Record<string, string>>,
): FamilyEnvironment {
  // Not by assignment to an object: a variable may be called `__proto__`.
  const variables = new Map<string, string>();
  const passed: string[] = [];
  const dropped: string[] = [];
  for (const [name, value] of inherited) {
    if (Object.hasOwn(configured, name)) continue;
    if (internal.test(name) || namesSecret(name) || redact(value) !== value) {
      dropped.push(name);
      continue;
    }
    passed.push(name);
    variables.set(name, value);
  }
  return {
    variables: Object.fromEntries([...variables, ...Object.entries(configured)]),
    passed: passed.toSorted(),
    configured: Object.keys(configured).toSorted(),
    dropped: dropped.toSorted(),
  };
}
