/** The variables of an environment that make its program load or run other code; the others are never made texts. */
import type { Argument } from '../core/facts.ts';
import { loadsCode, mayLoadCode, nameOf } from '../core/policy/codeVariables.ts';
import { toArgument } from './argument.ts';
import { readEnvironBytes } from './proc.ts';

/** Longer than any name on the list; only a name behind a `*` may be longer, and its beginning decides. */
const longestName = 256;

/** True for such a variable at a place of the bytes, where it ends with a NUL. */
export function isCodeBearing(bytes: Buffer, from: number): boolean {
  if (!mayLoadCode(bytes[from] ?? 0, bytes[from + 1] ?? 0, bytes[from + 2] ?? 0)) return false;
  const text = bytes.toString('latin1', from, from + longestName);
  const nul = text.indexOf('\0');
  return loadsCode(nameOf(nul === -1 ? text : text.slice(0, nul)));
}

export interface Environment {
  /** `NAME=value`, in their order. */
  readonly codeBearing: readonly Argument[];
  /** Nothing at all, as while the kernel still sets a program up. */
  readonly isEmpty: boolean;
}

/** As the kernel copied it for the program that runs. Undefined when it is gone or may not be read. */
export function readCodeBearing(pid: number): Environment | undefined {
  const bytes = readEnvironBytes(pid);
  if (bytes === undefined) return undefined;
  const codeBearing: Argument[] = [];
  for (let from = 0; from < bytes.length;) {
    const nul = bytes.indexOf(0, from);
    const to = nul === -1 ? bytes.length : nul;
    if (isCodeBearing(bytes, from)) codeBearing.push(toArgument(bytes.subarray(from, to)));
    from = to + 1;
  }
  return { codeBearing, isEmpty: bytes.length === 0 };
}
