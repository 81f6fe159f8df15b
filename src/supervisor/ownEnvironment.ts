/**
 * The session's own variables that make programs load or run other code: a program that is given the same ones is
 * the program that was judged, with others it is another.
 */
import type { Argument } from '../core/facts.ts';
import { isRunnersOwn, nameOf } from '../core/policy/codeVariables.ts';

export class OwnEnvironment {
  private readonly known: Set<string>;

  /** @param launched as `NAME=value`: what the server itself is launched with. */
  constructor(launched: readonly string[]) {
    this.known = new Set(launched);
  }

  /** Those of a program's that are not the session's own. One that is missing loads nothing. */
  changed(environment: readonly Argument[]): readonly Argument[] {
    return environment.length === 0
      ? environment
      : environment.filter((variable) => typeof variable !== 'string' || !this.known.has(variable));
  }

  /**
   * During the start-up, before any request: what a package runner gives to the server behind it is the server's own.
   * Only what runners are known to set; anything else stays a difference.
   */
  learn(environment: readonly Argument[]): void {
    for (const variable of environment)
      if (typeof variable === 'string' && isRunnersOwn(nameOf(variable))) this.known.add(variable);
  }
}
