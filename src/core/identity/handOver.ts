/**
 * Programs that have their work done by something outside their family, where their name and arguments say so:
 * what it starts is nobody's child here. A name alone is enough: it only makes more be said, never less.
 */
import { fileName } from './clientName.ts';
import { interpreterInput, interpreterName } from './interpreters.ts';

/** What the work becomes, in words for "…, not a child process". */
export type HandedOver = 'container' | 'job of systemd' | 'scheduled job';

const containerCommands: ReadonlySet<string> = new Set([
  'run',
  'create',
  'start',
  'restart',
  'exec',
  'build',
  'buildx',
  'compose',
  'up',
]);
/** Options before the command that take the next argument as their value. */
const withValue: ReadonlySet<string> = new Set([
  '-H',
  '--host',
  '-c',
  '--context',
  '-l',
  '--log-level',
  '--config',
  '--url',
  '--connection',
]);
/** `docker container run` is `docker run`. */
const groups: ReadonlySet<string> = new Set(['container', 'image']);

/**
 * @param path of the script when the program is an interpreter that was given one, else of the executable.
 * @param argv the whole vector, with or without an interpreter before the script.
 */
export function handedOver(path: string, argv: readonly string[]): HandedOver | null {
  const name = fileName(path);
  const given = argv.slice(argv.findIndex((argument) => fileName(argument) === name) + 1);
  switch (name) {
    case 'docker':
    case 'docker-compose':
    case 'nerdctl':
    case 'podman-remote':
      return startsContainer(given) ? 'container' : null;
    case 'podman':
      // By itself it is an ordinary parent of its containers.
      return given.some((argument) => /^(?:-r|--remote(?:=true)?)$/u.test(argument)) && startsContainer(given)
        ? 'container'
        : null;
    case 'systemd-run':
      return 'job of systemd';
    case 'at':
    case 'batch':
      return given.some((argument) => /^-[a-zA-Z]*[lrdc]/u.test(argument)) ? null : 'scheduled job';
    case 'crontab':
      return given.some((argument) => /^-[a-zA-Z]*[lr]/u.test(argument)) ? null : 'scheduled job';
    default:
      return null;
  }
}

function startsContainer(given: readonly string[]): boolean {
  const words = given.filter(
    (argument, index) => !argument.startsWith('-') && !withValue.has(given[index - 1] ?? ''),
  );
  const command = groups.has(words[0] ?? '') ? words[1] : words[0];
  return command !== undefined && containerCommands.has(command);
}

/** Of a program that runs: `exe` and arguments as the kernel has them, the interpreter first. */
export function handedOverBy(exe: string, argv: readonly string[]): HandedOver | null {
  const interpreter = interpreterName(exe);
  const input = interpreter === undefined ? undefined : interpreterInput(interpreter, argv);
  return handedOver(input?.kind === 'script' ? input.path : exe, argv);
}
