/**
 * Which script or inline code an interpreter is given, read off its argument vector. Judges what *would* run;
 * anything unclear is reported as code on standard input, the case that is never learned.
 */

export type InterpreterInput =
  | { readonly kind: 'script'; readonly path: string }
  | { readonly kind: 'inline'; readonly option: string; readonly text: string }
  /** Run by module name (`python -m NAME`); which file that is depends on the interpreter's search path. */
  | { readonly kind: 'module'; readonly option: string; readonly name: string }
  | { readonly kind: 'stdin' }
  /** No code at all, such as `node --version`. */
  | { readonly kind: 'none' };

interface Grammar {
  /** Options whose text is code. Short ones may stand in a cluster (`sh -ec TEXT`) when `clusters` says so. */
  readonly inline: readonly string[];
  readonly module: readonly string[];
  /** Options that take the next argument as their value. */
  readonly withValue: readonly string[];
  /** Options after which nothing runs. */
  readonly inert: readonly string[];
  readonly clusters: boolean;
}

const shell: Grammar = {
  inline: ['-c'],
  module: [],
  withValue: ['-o', '+o', '-O', '+O', '--rcfile', '--init-file'],
  inert: ['--version', '--help'],
  clusters: true,
};

const grammars: ReadonlyMap<string, Grammar> = new Map<string, Grammar>([
  ...['sh', 'dash', 'bash', 'zsh', 'ksh', 'mksh', 'ash'].map((name) => [name, shell] as const),
  [
    'node',
    {
      inline: ['-e', '--eval', '-p', '--print', '-pe'],
      module: [],
      withValue: [
        '-r',
        '--require',
        '--import',
        '--loader',
        '--experimental-loader',
        '-C',
        '--conditions',
        '--env-file',
        '--title',
      ],
      inert: ['-v', '--version', '-h', '--help'],
      clusters: false,
    },
  ],
  [
    'python',
    {
      inline: ['-c'],
      module: ['-m'],
      withValue: ['-W', '-X', '--check-hash-based-pycs'],
      inert: ['-V', '--version', '-h', '--help'],
      clusters: true,
    },
  ],
  [
    'perl',
    { inline: ['-e', '-E'], module: [], withValue: [], inert: ['-v', '--version', '--help'], clusters: true },
  ],
  [
    'ruby',
    {
      inline: ['-e'],
      module: [],
      withValue: ['-r', '-I', '-C', '-E'],
      inert: ['-v', '--version', '--help'],
      clusters: true,
    },
  ],
]);

/** The interpreter's plain name (`python3.11` → `python`), or undefined when the file is no known interpreter. */
export function interpreterName(executablePath: string): string | undefined {
  const base = executablePath.slice(executablePath.lastIndexOf('/') + 1);
  const plain = /^(python|perl|ruby|node|bash|zsh|ksh)[\d.]*$/u.exec(base)?.[1] ?? base;
  return grammars.has(plain) ? plain : undefined;
}

/**
 * @param name from {@link interpreterName}.
 * @param argv whole argument vector; `argv[0]` is skipped.
 */
export function interpreterInput(name: string, argv: readonly string[]): InterpreterInput {
  const grammar = grammars.get(name);
  if (grammar === undefined) return { kind: 'none' };
  for (let i = 1; i < argv.length; i += 1) {
    const argument = argv[i] ?? '';
    const next = argv[i + 1];
    if (argument === '-' || argument === '-s') return { kind: 'stdin' };
    if (argument === '--') return next === undefined ? { kind: 'stdin' } : { kind: 'script', path: next };
    if (!/^[-+]./u.test(argument)) return { kind: 'script', path: argument };
    const [option, attached] = splitAttached(argument);
    if (grammar.inert.includes(option)) return { kind: 'none' };
    if (grammar.module.includes(option)) return { kind: 'module', option, name: attached ?? next ?? '' };
    if (grammar.inline.includes(option)) return { kind: 'inline', option, text: attached ?? next ?? '' };
    const clustered = grammar.clusters
      ? inCluster(argument, [...grammar.inline, ...grammar.module])
      : undefined;
    if (clustered !== undefined) {
      const text = clustered.rest === '' || name !== 'python' ? (argv[i + 1] ?? '') : clustered.rest;
      return grammar.module.includes(clustered.option)
        ? { kind: 'module', option: clustered.option, name: text }
        : { kind: 'inline', option: clustered.option, text };
    }
    if (grammar.withValue.includes(option) && attached === undefined) i += 1;
  }
  return argv.length <= 1 || argv.slice(1).every((argument) => argument.startsWith('-'))
    ? { kind: 'stdin' }
    : { kind: 'none' };
}

function splitAttached(argument: string): [string, string | undefined] {
  const equals = argument.indexOf('=');
  return argument.startsWith('--') && equals > 0
    ? [argument.slice(0, equals), argument.slice(equals + 1)]
    : [argument, undefined];
}

/** Finds `-c` inside `-ec`. What follows it in the same argument is its text for Python (`-cTEXT`). */
function inCluster(
  argument: string,
  options: readonly string[],
): { option: string; rest: string } | undefined {
  if (!/^-[A-Za-z]{2,}/u.test(argument)) return undefined;
  for (let i = 1; i < argument.length; i += 1) {
    const option = `-${argument[i]}`;
    if (options.includes(option)) return { option, rest: argument.slice(i + 1) };
  }
  return undefined;
}

/** The package that a runner will fetch and run (`npx NAME`, `uvx NAME`), as given; undefined for other programs. */
export function runnerPackage(argv: readonly string[]): string | undefined {
  const names = argv.slice(0, 2).map((argument) => argument.slice(argument.lastIndexOf('/') + 1));
  const at = names.findIndex((name) => ['npx', 'npx-cli.js', 'uvx', 'bunx', 'pnpx'].includes(name));
  if (at === -1) return undefined;
  for (let i = at + 1; i < argv.length; i += 1) {
    const argument = argv[i] ?? '';
    if (argument === '-p' || argument === '--package' || argument === '--from') return argv[i + 1];
    const attached = /^--(?:package|from)=(.+)$/u.exec(argument)?.[1];
    if (attached !== undefined) return attached;
    if (!argument.startsWith('-')) return argument;
  }
  return undefined;
}
