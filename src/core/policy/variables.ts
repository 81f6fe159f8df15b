/**
 * `${…}` in a configuration: `${NAME}`, `${env:NAME}` and `${NAME:-default}` stand for the client's variables.
 * Invariant: nothing that was not replaced, and nothing empty, reaches a server in a variable's place; a start that
 * cannot be written out in full is not made.
 */
import { secretSign } from '../redaction/secretVariable.ts';
import { isInternal } from './environment.ts';

export type Expansion =
  | { readonly kind: 'text'; readonly text: string }
  /** What is wrong and the next step, to stand behind the place's name: `holds ${NOPE}, …`. */
  | { readonly kind: 'fault'; readonly fault: string };

const reference = /\$\{(?<inner>[^}]*)\}/gu;
const wellFormed = /^(?:env:)?(?<name>[A-Za-z_]\w*)(?::-(?<otherwise>.*))?$/su;

/**
 * @param onCommandLine the text becomes an argument, which every program of the machine may read: no credentials.
 */
export function expandVariables(
  text: string,
  variables: ReadonlyMap<string, string>,
  onCommandLine: boolean,
): Expansion {
  let fault: string | undefined;
  const expanded = text.replaceAll(reference, (written: string, inner: string) => {
    const result = valueOf(written, inner, variables, onCommandLine);
    if (result.kind === 'text') return result.text;
    fault ??= result.fault;
    return '';
  });
  return fault === undefined ? { kind: 'text', text: expanded } : { kind: 'fault', fault };
}

function valueOf(
  written: string,
  inner: string,
  variables: ReadonlyMap<string, string>,
  onCommandLine: boolean,
): Expansion {
  const groups = wellFormed.exec(inner)?.groups;
  const name = groups?.['name'];
  if (name === undefined) return { kind: 'fault', fault: `holds ${written}, and ${unknown(inner)}` };
  if (isInternal(name))
    return {
      kind: 'fault',
      fault: `holds ${written}, and ${name} belongs to the editor or to Kinwatch and never reaches a server; remove it`,
    };
  const value = variables.get(name) ?? '';
  const text = value === '' ? (groups?.['otherwise'] ?? '') : value;
  if (text === '') {
    const state = variables.has(name) ? 'is empty' : 'is not set';
    return {
      kind: 'fault',
      fault:
        `holds ${written}, and ${name} ${state} where the client runs; ` +
        `set it there, write \${${name}:-default}, or write the value itself`,
    };
  }
  if (onCommandLine && secretSign(name, text) !== undefined)
    return {
      kind: 'fault',
      fault:
        `holds ${written}, and ${name} looks like a credential; every program can read a command line, ` +
        `so pass it in env instead`,
    };
  return { kind: 'text', text };
}

function unknown(inner: string): string {
  const kind = /^(?<kind>[a-z]+):/iu.exec(inner)?.groups?.['kind'];
  if (kind === 'input')
    return `Kinwatch asks for no inputs; set a variable where the client runs and write \${env:NAME}`;
  if (kind !== undefined && kind !== 'env')
    return `Kinwatch knows no ${kind} variables; write the value itself, or \${env:NAME}`;
  return `that names no variable; write \${NAME}, \${env:NAME} or \${NAME:-default}`;
}
