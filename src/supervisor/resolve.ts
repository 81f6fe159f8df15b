/** From a command's name to the file that will run, and the reasons why it cannot. */
import { accessSync, constants, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { redact } from '../core/redaction/redact.ts';
import { lookAtFile } from '../watch/files.ts';
import { lookAtProgram, type ProgramLook } from '../watch/program.ts';
import { StartError } from './startError.ts';

export interface ResolvedCommand {
  /** Absolute path given to the kernel. */
  readonly path: string;
  /** In words: how the name led there. */
  readonly resolution: string;
  /** What the kernel starts first. */
  readonly first: ProgramLook;
  /** What ends up running: behind `#!/usr/bin/env NAME` the named interpreter with the script. */
  readonly program: ProgramLook;
}

/** Where `execvp(3)` looks when there is no PATH. */
const defaultPath = '/usr/local/bin:/bin:/usr/bin';

/** @throws StartError naming the directory and what is wrong with it. */
export function checkCwd(cwd: string): void {
  noTilde('working directory', cwd);
  if (!isAbsolute(cwd))
    throw new StartError(
      'cannot run',
      `the working directory ${JSON.stringify(cwd)} is not absolute; write the whole path`,
    );
  const fault = directoryFault(cwd);
  if (fault !== undefined) throw new StartError('cannot run', `the working directory ${cwd} ${fault}`);
}

function directoryFault(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return 'is a file; name a directory';
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'EIO';
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? 'does not exist; make it, or name another'
      : `cannot be entered (${code}); make it accessible, or name another`;
  }
}

function noTilde(what: string, text: string): void {
  if (text.startsWith('~'))
    throw new StartError(
      'cannot run',
      `the ${what} ${JSON.stringify(text)} starts with ~, and only a shell expands that; write the whole path`,
    );
  const variable = /\$\w+|\$\{[^}]*\}/u.exec(text)?.[0];
  if (variable !== undefined)
    throw new StartError(
      'cannot run',
      `the ${what} ${JSON.stringify(text)} holds ${variable}, and only a shell expands that; write the value itself`,
    );
}

/** Where names are looked up. */
export interface Lookup {
  readonly cwd: string;
  /** Value of PATH; undefined means the C library's default. */
  readonly path: string | undefined;
  /** Folder that a relative command starts from, with what it is. Absent: the working directory. */
  readonly base?: { readonly folder: string; readonly what: string };
  /** The machine, and what to do when a name is not found in PATH. */
  readonly host: string;
  readonly nextStep: string;
}

/**
 * @throws StartError when there is no such file, or it cannot be run.
 */
export function resolveCommand(command: string, args: readonly string[], lookup: Lookup): ResolvedCommand {
  noTilde('command', command);
  const found = command.includes('/')
    ? named(command, lookup)
    : search(command, lookup, `command not found: ${command} is`);
  const first = runnable(found.path, [command, ...args], lookup.cwd);
  return { ...found, first, program: behindEnv(first, found.path, args, lookup) };
}

function named(command: string, { cwd, base }: Lookup): { path: string; resolution: string } {
  if (isAbsolute(command)) return { path: command, resolution: 'absolute path' };
  const { folder, what } = base ?? { folder: cwd, what: 'the working directory' };
  return { path: resolve(folder, command), resolution: `relative to ${folder}, ${what}` };
}

/** @param what begins the sentence that is said when it is not found. */
function search(name: string, lookup: Lookup, what: string): { path: string; resolution: string } {
  const { cwd, path = defaultPath, host, nextStep } = lookup;
  const entries = path.split(':');
  let blocked: string | undefined;
  for (const [index, entry] of entries.entries()) {
    // An empty entry means the working directory.
    const candidate = join(isAbsolute(entry) ? entry : resolve(cwd, entry), name);
    const look = lookAtFile(candidate);
    if (look.kind === 'absent' || !look.look.isFile) continue;
    if (look.look.executable)
      return {
        path: candidate,
        resolution: `${name}, found in PATH entry ${index + 1} of ${entries.length}: ${entry === '' ? cwd : entry}`,
      };
    blocked ??= candidate;
  }
  if (blocked !== undefined)
    throw new StartError('cannot run', `${blocked} is not executable; chmod +x it, or name another command`);
  throw new StartError(
    'cannot run',
    `${what} ${count(entries.length)} of PATH on ${host}: ${redact(path)}. ${nextStep}`,
  );
}

function count(entries: number): string {
  return entries === 1 ? 'not in the one entry' : `in none of the ${entries} entries`;
}

function runnable(path: string, argv: readonly string[], cwd: string): ProgramLook {
  const result = lookAtProgram(path, argv, cwd);
  if (result.kind === 'program') return result.look;
  if (result.kind === 'unreadable')
    throw new StartError('cannot run', `${path} cannot be read, so it cannot be checked`);
  const look = lookAtFile(path);
  if (look.kind === 'absent')
    throw new StartError(
      'cannot run',
      `command not found: ${path} (${result.code}); check the path, or install it`,
    );
  if (!look.look.isFile)
    throw new StartError('cannot run', `${path} is a directory, not a program; name the program in it`);
  if (!look.look.executable)
    throw new StartError('cannot run', `${path} is not executable; chmod +x it, or name another command`);
  throw new StartError(
    'cannot run',
    `${path} cannot be started: its first line names ${result.path} (${result.code}); install it, or correct the line`,
  );
}

/** `#!/usr/bin/env NAME`: NAME is looked up in PATH, and that interpreter gets the script. */
function behindEnv(first: ProgramLook, path: string, args: readonly string[], lookup: Lookup): ProgramLook {
  if (!first.viaShebang || first.script === undefined || basename(first.executable.facts.path) !== 'env')
    return first;
  const words = (first.shebangArgument ?? '').split(/\s+/u).filter((word) => word !== '' && word !== '-S');
  // Assignments stand before the name; what stands behind it are the interpreter's own options.
  const [name, ...options] = words.slice(words.findIndex((word) => !word.includes('=')));
  if (name === undefined || name.includes('=')) return first;
  const interpreter = search(
    name,
    lookup,
    `${path} cannot be started: its first line asks for ${name}, which is`,
  );
  return runnable(interpreter.path, [name, ...options, path, ...args], lookup.cwd);
}
