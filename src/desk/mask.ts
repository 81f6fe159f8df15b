/** Masks what looks like a secret in whatever the desk stores or mirrors (DESIGN invariant 6). */
import type { Argument } from '../core/facts.ts';
import { redact, redactArguments } from '../core/redaction/redact.ts';

/** Same length as given. Bytes that are no text stay as they are. */
export function maskArguments(argv: readonly Argument[]): Argument[] {
  const texts = redactArguments(argv.map((argument) => (typeof argument === 'string' ? argument : '')));
  return argv.map((argument, index) => (typeof argument === 'string' ? (texts[index] ?? '') : argument));
}

/** Every text inside a plain value, argument vectors with what stands before each argument. */
export function maskDeep<T>(value: T): T {
  return maskValue(value) as T;
}

function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'argv' && Array.isArray(inner) ? maskArguments(inner as Argument[]) : maskValue(inner),
    ]),
  );
}
