/** One argument or variable, as it came. */
import { isUtf8 } from 'node:buffer';
import type { Argument } from '../core/facts.ts';

/** Bytes that are valid UTF-8 become a string, others keep their bytes. */
export function toArgument(bytes: Buffer): Argument {
  return isUtf8(bytes) ? bytes.toString('utf8') : { base64: bytes.toString('base64') };
}

export function isSameArgument(left: Argument, right: Argument | undefined): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right;
  return left.base64 === right?.base64;
}

/** The same ones in the same order. */
export function sameArguments(left: readonly Argument[], right: readonly Argument[]): boolean {
  return (
    left.length === right.length && left.every((argument, index) => isSameArgument(argument, right[index]))
  );
}
