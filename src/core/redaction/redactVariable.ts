/** Masks a variable's value, by what its name says too. */
import { nameOf } from '../policy/codeVariables.ts';
import { mask, redact } from './redact.ts';
import { namesSecret } from './secretVariable.ts';

/** @param variable `NAME=value`, as in `environ(7)`. */
export function redactVariable(variable: string): string {
  const name = nameOf(variable);
  const value = variable.slice(name.length + 1);
  return namesSecret(name) && value !== '' ? `${name}=${mask(value)}` : redact(variable);
}
