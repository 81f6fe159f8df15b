/** Masks what looks like a secret in whatever the desk stores or mirrors (DESIGN invariant 6). */
import type { Argument } from '../core/facts.ts';
import { redact, redactArguments } from '../core/redaction/redact.ts';
import { redactVariable } from '../core/redaction/redactVariable.ts';

/** Same length as given. Bytes that are no text stay as they are. */
export function maskArguments(argv: readonly Argument[]): Argument[] {
  const texts = redactArguments(argv.map((argument) => (typeof argument === 'string' ? argument : '')));
  return argv.map((argument, index) => (typeof argument === 'string' ? (texts[index] ?? '') : argument));
}

/** Longest argument vector of a process in lists and trees; the journal and its card hold it whole. */
const maxMirroredChars = 4096;

/** Masked, and cut with a count when it is so long that a family could flood its reviewers with it. */
export function mirrorArguments(argv: readonly Argument[]): Argument[] {
  const masked = maskArguments(argv);
  const shown: Argument[] = [];
  let leftChars = maxMirroredChars;
  for (const [index, argument] of masked.entries()) {
    const text = typeof argument === 'string' ? argument : argument.base64;
    if (text.length > leftChars) {
      const cutChars = masked
        .slice(index)
        .reduce((sum, rest) => sum + (typeof rest === 'string' ? rest : rest.base64).length, 0);
      shown.push(`[${cutChars} characters in ${masked.length - index} arguments not listed]`);
      break;
    }
    leftChars -= text.length;
    shown.push(argument);
  }
  return shown;
}

/** A row of the process table: its command line is one text, in which an option and its value are words. */
export function maskProcess(row: object): object {
  const masked = maskDeep(row);
  if (!('cmd' in masked) || typeof masked.cmd !== 'string') return masked;
  return { ...masked, cmd: redactArguments(masked.cmd.split(' ')).join(' ') };
}

/** Every text inside a plain value, argument vectors with what stands before each argument. */
export function maskDeep<T>(value: T): T {
  return maskValue(value) as T;
}

function maskField(key: string, inner: unknown): unknown {
  if (!Array.isArray(inner)) return maskValue(inner);
  if (key === 'argv') return maskArguments(inner as Argument[]);
  if (key === 'environment')
    return (inner as Argument[]).map((each) => (typeof each === 'string' ? redactVariable(each) : each));
  return maskValue(inner);
}

function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskField(key, inner)]));
}
