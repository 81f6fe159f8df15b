/** When two programs, or two starts, are the same thing, so that an answer for one counts for the other. */
import { createHash } from 'node:crypto';
import type { FileFacts, ProgramFacts, StartFacts } from '../core/facts.ts';

/**
 * Undefined when the program cannot be told from another: a digest is missing, or its code comes on standard
 * input. Such a program is asked about each time.
 */
export function programIdentity(program: ProgramFacts): string | undefined {
  if (program.codeOnStdin === true) return undefined;
  const files: string[] = [];
  for (const file of [program.executable, program.script]) {
    if (file === undefined) continue;
    if (file.digest === undefined) return undefined;
    files.push(fileIdentity(file));
  }
  const { inline, environment } = program;
  const variables =
    environment === undefined
      ? undefined
      : // Values may be long, and may be secrets: an identity holds neither.
        createHash('sha256').update(JSON.stringify(environment)).digest('hex');
  return JSON.stringify([files, inline?.option, inline?.text, program.package, variables]);
}

/** Same server, arguments, directory, program, network, launchers, PATH and environment names. Undefined as in {@link programIdentity}. */
export function startIdentity(facts: StartFacts): string | undefined {
  const program = programIdentity(facts.program);
  if (program === undefined) return undefined;
  const { server, source, argv, cwd, network, launchers } = facts;
  const { passed, configured, path } = facts.environment;
  return JSON.stringify([server, source, argv, cwd, program, network, launchers, path, passed, configured]);
}

function fileIdentity(file: FileFacts): string {
  return `${file.digest} ${file.path}`;
}
