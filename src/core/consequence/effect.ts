/**
 * What a well-known program will do, where its arguments say so plainly. Everything else stays generic:
 * a sentence that guesses would be believed.
 */
import type { ProgramFacts } from '../facts.ts';
import { fileName } from '../identity/clientName.ts';
import { sshTarget } from './sshArguments.ts';
import type { Sentence } from './words.ts';

export interface Effect {
  /** Adds the consequence to "NAME will run PROGRAM as USER": `and connect to build.example`. */
  readonly say: (sentence: Sentence) => void;
  /** True when the consequence tells everything that the arguments do. */
  readonly complete: boolean;
  /** A destination named by the arguments, for the network row. */
  readonly destination?: string;
}

const systemFolder = /^\/(?:usr\/(?:local\/)?)?(?:s?bin|lib(?:exec)?\/git-core)\/[^/]+$/u;

/**
 * A name means something only where the system keeps its programs: a file called `ssh` that the family
 * could have written may do anything.
 */
export function systemProgram(program: ProgramFacts): string | null {
  const { path, ownerUid, writable } = program.executable;
  return ownerUid === 0 && !writable && systemFolder.test(path) ? fileName(path) : null;
}

/**
 * @param argv the vector as text; arguments that are not UTF-8 make the caller pass null.
 * @returns null when nothing can be said beyond the program's name.
 */
export function effectOf(program: ProgramFacts, argv: readonly string[] | null): Effect | null {
  const name = systemProgram(program);
  if (name === null || argv === null || program.inline !== undefined || program.codeOnStdin === true)
    return null;
  if (name === 'ssh') return ssh(argv);
  if (name === 'curl') return curl(argv);
  if (name === 'git') return git(argv);
  return packageManager(program, argv);
}

function ssh(argv: readonly string[]): Effect | null {
  const target = sshTarget(argv);
  if (target === null) return null;
  return {
    destination: target.host,
    complete: target.complete,
    say: (sentence) => {
      sentence.say(' and connect to ').quote(target.host);
      if (target.port !== undefined) sentence.say(' port ').quote(target.port);
      if (target.user !== undefined) sentence.say(' as ').quote(target.user);
      if (target.command !== undefined) sentence.say(' to run ').quote(target.command).say(' there');
    },
  };
}

/** Only the plainest use: every argument understood, one URL. */
function curl(argv: readonly string[]): Effect | null {
  let url: string | undefined;
  let method = 'GET';
  let complete = true;
  for (let index = 1; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '-X' || word === '--request') {
      method = argv[(index += 1)] ?? '';
      if (!/^[A-Z]{1,10}$/u.test(method)) return null;
    } else if (/^-[sSfLkivI#46]+$/u.test(word)) {
      if (word.includes('I')) method = 'HEAD';
      // Redirects lead to hosts that the arguments do not name.
      if (word.includes('L') || word.includes('k')) complete = false;
    } else if (!word.startsWith('-') && url === undefined) {
      url = word;
    } else {
      return null;
    }
  }
  const host = /^https?:\/\/(?<host>[\w.-]+)(?::\d+)?(?:[/?#]|$)/u.exec(url ?? '')?.groups?.['host'];
  // Brackets and braces stand for several addresses at once.
  if (url === undefined || host === undefined || /[[\]{}]/u.test(url)) return null;
  const address = url;
  return {
    destination: host,
    complete,
    say: (sentence) => sentence.say(` and send ${method} to `).quote(address),
  };
}

const word = /^[^-\s][^\s]*$/u;
/** Plain addresses only: `ext::` and other helpers run commands. */
const repository = /^(?:(?:https?|ssh|git):\/\/\S+|[\w.@-]+:[\w./~-]+)$/u;

/** `push`, `fetch`, `pull` and `clone` with plain operands. */
function git(argv: readonly string[]): Effect | null {
  const [, command, ...operands] = argv;
  if (command === undefined || !operands.every((operand) => word.test(operand))) return null;
  const [first, ...others] = operands;
  if (command === 'clone' && first !== undefined && repository.test(first) && others.length <= 1) {
    const [folder] = others;
    return {
      destination: first,
      complete: true,
      say: (sentence) => {
        sentence.say(' and copy the repository ').quote(first);
        if (folder !== undefined) sentence.say(' into ').quote(folder);
      },
    };
  }
  if (command === 'push' || command === 'fetch' || command === 'pull') {
    const doing = command === 'push' ? ' and send commits to ' : ' and fetch commits from ';
    return {
      // A remote's name is not a destination: where it leads stands in the repository's configuration.
      complete: others.length === 0 && command !== 'pull',
      say: (sentence) => {
        if (first === undefined) sentence.say(`${doing}the repository’s default remote`);
        else sentence.say(doing).quote(first);
      },
    };
  }
  return null;
}

/** npm and npx are scripts of the system's Node. */
function packageManager(program: ProgramFacts, argv: readonly string[]): Effect | null {
  const script = program.script;
  if (script === undefined || script.writable || script.ownerUid !== 0) return null;
  const [, , command, name, ...others] = argv;
  if (script.path.endsWith('/npm/bin/npx-cli.js') && program.package !== undefined) {
    const wanted = program.package;
    return {
      complete: false,
      say: (sentence) => {
        sentence.say(' and run the package ').quote(wanted).say(', downloading it when it isn’t there yet');
      },
    };
  }
  if (!script.path.endsWith('/npm/bin/npm-cli.js')) return null;
  if (
    command === 'test' ||
    command === 'start' ||
    (command === 'run' && name !== undefined && word.test(name))
  ) {
    const target = command === 'run' ? (name ?? '') : command;
    return {
      complete: false,
      say: (sentence) => sentence.say(' and run this project’s ').quote(target).say(' script'),
    };
  }
  if (
    (command === 'install' || command === 'i' || command === 'ci') &&
    [name ?? 'x', ...others].every((w) => word.test(w))
  ) {
    const what = [name, ...others].filter((w) => w !== undefined);
    return {
      complete: false,
      say: (sentence) => {
        if (what.length === 0) sentence.say(' and install this project’s packages');
        else sentence.say(' and install ').quote(what.join(' '));
        sentence.say(', whose install scripts may run');
      },
    };
  }
  return null;
}
