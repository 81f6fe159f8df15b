/** Which program an exec would start: the executable behind its name, its interpreter, script or inline code. */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Argument, FileFacts, InlineCode, ProgramFacts } from '../core/facts.ts';
import { interpreterInput, interpreterName, runnerPackage } from '../core/identity/interpreters.ts';
import { digestFile, type FileLook, isUnchanged, lookAtFile } from './files.ts';
import { SeenFiles } from './seenFiles.ts';

/** A program before its digests are known. */
export interface ProgramLook {
  readonly executable: FileLook;
  readonly script?: FileLook;
  readonly inline?: InlineCode;
  readonly codeOnStdin: boolean;
  readonly package?: string;
  /** The kernel goes through a `#!` line and rewrites the argument vector. */
  readonly viaShebang: boolean;
  /** What stands behind the interpreter on the last `#!` line. */
  readonly shebangArgument?: string;
  /** What the kernel puts before the script's name: interpreters with their arguments. Empty without a `#!` line. */
  readonly shebangVector: readonly string[];
}

export type ProgramResult =
  | { readonly kind: 'program'; readonly look: ProgramLook }
  /** The kernel would fail this exec with that errno name, because of that file. */
  | { readonly kind: 'absent'; readonly code: string; readonly path: string }
  /** It could run and cannot be read, so neither judged nor confirmed. */
  | { readonly kind: 'unreadable'; readonly path: string };

/** Interpreters of interpreters that Linux follows. */
const maxShebangDepth = 4;

/**
 * @param path absolute path of the file that exec was given.
 * @param argv argument vector with `argv[0]`.
 * @param cwd working directory of the process, for a script named relative to it.
 * @param seen files looked at for this same exec, so that its second look is at the same state and costs nothing.
 */
export function lookAtProgram(
  path: string,
  argv: readonly Argument[],
  cwd: string,
  seen = new SeenFiles(),
): ProgramResult {
  const words = argv.map((argument) => (typeof argument === 'string' ? argument : `\u{0}${argument.base64}`));
  let target = path;
  let vector = words;
  let script: FileLook | undefined;
  let shebangArgument: string | undefined;
  for (let depth = 0; depth <= maxShebangDepth; depth += 1) {
    const file = seen.look(target);
    if (file.result.kind === 'absent') return { ...file.result, path: target };
    const { look } = file.result;
    if (!look.isFile || !look.executable) return { kind: 'absent', code: 'EACCES', path: target };
    if (!look.readable) return { kind: 'unreadable', path: look.facts.path };
    const { line } = file;
    if (line === undefined) {
      const composed = compose(look, script, vector, cwd);
      const shebangVector = depth === 0 ? [] : vector.slice(0, vector.length - words.slice(1).length - 1);
      const argument = shebangArgument === undefined ? {} : { shebangArgument };
      return { kind: 'program', look: { ...composed, ...argument, shebangVector } };
    }
    script ??= look;
    shebangArgument = line.argument;
    vector = [
      line.interpreter,
      ...(line.argument === undefined ? [] : [line.argument]),
      target,
      ...vector.slice(1),
    ];
    target = line.interpreter;
    if (!isAbsolute(target)) return { kind: 'absent', code: 'ENOENT', path: target };
  }
  return { kind: 'absent', code: 'ELOOP', path: target };
}

function compose(
  executable: FileLook,
  script: FileLook | undefined,
  vector: readonly string[],
  cwd: string,
): Omit<ProgramLook, 'shebangArgument' | 'shebangVector'> {
  const viaShebang = script !== undefined;
  const runner = runnerPackage(vector);
  const withPackage = runner === undefined ? {} : { package: runner };
  const name = interpreterName(executable.facts.path);
  if (name === undefined || script !== undefined) {
    return {
      executable,
      ...(script === undefined ? {} : { script }),
      codeOnStdin: false,
      viaShebang,
      ...withPackage,
    };
  }
  const input = interpreterInput(name, vector);
  switch (input.kind) {
    case 'script': {
      const found = lookAtFile(isAbsolute(input.path) ? input.path : `${cwd}/${input.path}`);
      // A script that is not there yet could appear before the interpreter opens it: as good as code from a pipe.
      return found.kind === 'found' && found.look.isFile
        ? { executable, script: found.look, codeOnStdin: false, viaShebang, ...withPackage }
        : { executable, codeOnStdin: true, viaShebang, inline: { option: 'script', text: input.path } };
    }
    case 'inline':
      return {
        executable,
        inline: { option: input.option, text: input.text },
        codeOnStdin: false,
        viaShebang,
      };
    case 'module':
      return {
        executable,
        inline: { option: input.option, text: input.name },
        codeOnStdin: false,
        viaShebang,
      };
    case 'stdin':
      return { executable, codeOnStdin: true, viaShebang };
    case 'none':
      return { executable, codeOnStdin: false, viaShebang, ...withPackage };
  }
}

/**
 * The installed package a file belongs to: its directory under the innermost `node_modules`. Undefined elsewhere: a
 * project of the user's own is no package that was approved, its other scripts are asked.
 */
export function packageRoot(path: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/@.][^/]*(?=\/)/u.exec(path)?.[0];
}

function files(look: ProgramLook): FileLook[] {
  return look.script === undefined ? [look.executable] : [look.executable, look.script];
}

/** Every file of it belongs to root and no process of this user can change or replace it. */
export function isSystemOwned(look: ProgramLook): boolean {
  return files(look).every(({ facts }) => facts.ownerUid === 0 && !facts.writable);
}

/** Writable files up to this size are read where they are judged; larger ones off the event loop. */
const readAtOnceBytes = 1024 * 1024;

/**
 * Same value = same program. Files that a member can write count by content (read anew each time: a cached
 * digest could be out of date), others by inode and change time. A promise only when a large file must be read.
 *
 * @param environment variables that are not the session's own and make it load or run other code.
 */
export function identityOf(
  look: ProgramLook,
  environment: readonly Argument[] = [],
): string | Promise<string> {
  const contents = files(look).map((file): string | Promise<string> =>
    file.facts.writable
      ? contentOf(file.facts)
      : `${file.facts.device}:${file.facts.inode}:${file.changedNs}`,
  );
  const combine = (known: readonly string[]): string =>
    JSON.stringify([
      ...files(look).map((file, index) => [file.facts.path, known[index]]),
      ...(look.inline === undefined ? [] : [look.inline.option, look.inline.text]),
      ...(environment.length === 0 ? [] : [{ environment: digestOf(environment) }]),
    ]);
  const known = contents.filter((content) => typeof content === 'string');
  return known.length === contents.length
    ? combine(known)
    : Promise.all(contents.map(async (content) => content)).then(combine);
}

/** Values may be long, and may be secrets: an identity holds neither. */
function digestOf(environment: readonly Argument[]): string {
  return createHash('sha256').update(JSON.stringify(environment)).digest('hex');
}

function contentOf({ path, sizeBytes }: FileFacts): string | Promise<string> {
  if (sizeBytes > readAtOnceBytes)
    return digestFile(path, sizeBytes).then((digest) => digest ?? randomUUID());
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    // Unknown content equals nothing, so that it is asked each time.
    return randomUUID();
  }
}

/**
 * Facts for a card. Files that a member can write carry the digest of what was just read; the desk knows those of
 * the others.
 *
 * @param environment as of {@link identityOf}.
 */
export async function programFacts(
  look: ProgramLook,
  environment: readonly Argument[] = [],
): Promise<ProgramFacts> {
  const withDigest = async ({ facts }: FileLook): Promise<FileFacts> => {
    const digest = facts.writable ? await digestFile(facts.path, facts.sizeBytes) : undefined;
    return digest === undefined ? facts : { ...facts, digest };
  };
  return {
    executable: await withDigest(look.executable),
    ...(look.script === undefined ? {} : { script: await withDigest(look.script) }),
    ...(look.inline === undefined ? {} : { inline: look.inline }),
    ...(look.codeOnStdin ? { codeOnStdin: true } : {}),
    ...(look.package === undefined ? {} : { package: look.package }),
    ...(environment.length === 0 ? {} : { environment }),
  };
}

/** True when no file of it changed since the look. */
export function programUnchanged(look: ProgramLook): boolean {
  return files(look).every(isUnchanged);
}
