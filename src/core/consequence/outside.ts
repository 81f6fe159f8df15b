/** Work that left a family, in the words of its certificate and its card. */
import type { Argument, ProgramFacts } from '../facts.ts';
import { handedOver, handedOverBy } from '../identity/handOver.ts';
import { redact, redactArguments } from '../redaction/redact.ts';
import type { CardRow } from './cardShape.ts';
import { mayStart } from './rows.ts';
import { argumentText } from './words.ts';

/** `container, not a child process: docker run IMAGE`, masked; undefined for a program that hands over nothing. */
export function leftOutside(exe: string, argv: readonly Argument[]): string | undefined {
  const texts = argv.map((argument) => argumentText(argument).text);
  const what = handedOverBy(exe, texts);
  return what === null
    ? undefined
    : `${what}, not a child process: ${redact(redactArguments(texts).join(' '))}`;
}

/** The card's row of a program that is yet to start. */
export function mayStartOf({ script, executable }: ProgramFacts, argv: readonly string[]): CardRow {
  const what = handedOver(script?.path ?? executable.path, argv);
  if (what === null) return mayStart;
  return {
    label: mayStart.label,
    value: `A ${what}, not a child process: it isn’t watched, and isn’t ended with this server.`,
  };
}
