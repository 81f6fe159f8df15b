/** Says in one sentence why a message does not fit its schema, naming the field and never repeating its value. */
import type { z } from 'zod';

const maxNameChars = 60;

export function describeMismatch(value: unknown, error: z.ZodError): string {
  const kind = (value as { kind?: unknown } | null)?.kind;
  if (typeof kind !== 'string') return 'a message has no kind; every message is a JSON object with a kind';
  const [issue] = error.issues;
  if (issue?.code === 'invalid_union' && issue.path.join('.') === 'kind') {
    return `${quoted(kind)} is not a message for this desk; both sides must be of the same version`;
  }
  const place = issue === undefined || issue.path.length === 0 ? '' : ` ${issue.path.map(String).join('.')}:`;
  return `message ${quoted(kind)}:${place} ${issue?.message ?? 'not valid'}`.slice(0, 300);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, maxNameChars));
}
