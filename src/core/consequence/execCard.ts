/** The card of a program not seen before in this session: DESIGN §3, transition 1. */
import type { ExecFacts } from '../facts.ts';
import { fileName } from '../identity/clientName.ts';
import { redactArguments } from '../redaction/redact.ts';
import { type Card, type CardRow, card, type ExecContext } from './cardShape.ts';
import { type Effect, effectOf } from './effect.ts';
import * as rows from './rows.ts';
import { mayStartOf } from './outside.ts';
import { visibleText } from './visible.ts';
import { argumentText, count, homePath, quoted, Sentence } from './words.ts';

/** Longest command line that a headline shows whole; a longer one is counted instead. */
const longestCommand = 56;

export function execCard(facts: ExecFacts, context: ExecContext): Card {
  const readable =
    facts.argv.every((argument) => typeof argument === 'string') && facts.argvUnreadBytes === 0;
  const texts = facts.argv.map((argument) => argumentText(argument).text);
  const effect = effectOf(facts.program, readable ? texts : null);
  const sentence = new Sentence();
  const told =
    effect === null ? tellProgram(sentence, facts, context, texts) : tellEffect(sentence, facts, effect);
  sentence.say('.');
  const { program } = facts;
  const isPlain =
    program.inline === undefined &&
    program.codeOnStdin !== true &&
    program.script === undefined &&
    program.environment === undefined &&
    readable;
  // A name of its own choosing in argv[0] tells some programs what to be.
  const isNamedSo =
    texts[0] === facts.requested || fileName(texts[0] ?? '') === fileName(program.executable.path);
  return card('new executable', sentence, told && isPlain && isNamedSo, rowsOf(facts, context, effect));
}

/** Who acts: the request's tool where that is certain, else the program that calls. */
function subject(sentence: Sentence, facts: ExecFacts): void {
  const tool = facts.request?.attribution === 'certain' ? facts.request.tool : undefined;
  if (tool !== undefined) sentence.quote(tool, 40);
  else caller(sentence, facts);
}

function caller(sentence: Sentence, facts: ExecFacts): void {
  if (facts.parentExe === undefined) sentence.say(`A program that could not be read (pid ${facts.pid})`);
  else sentence.quote(fileName(facts.parentExe), 40);
}

function tellEffect(sentence: Sentence, facts: ExecFacts, effect: Effect): boolean {
  subject(sentence, facts);
  sentence.say(' will run ').quote(facts.program.script?.path ?? facts.program.executable.path);
  sentence.say(' as ').quote(facts.user);
  effect.say(sentence);
  return effect.complete;
}

/** "node will start `helper`, a program not seen before, as dev in `~/src/parcel`". */
function tellProgram(
  sentence: Sentence,
  facts: ExecFacts,
  context: ExecContext,
  texts: readonly string[],
): boolean {
  const { program } = facts;
  const cwd = homePath(facts.cwd, context.home);
  const exe = homePath(program.executable.path, context.home);
  caller(sentence, facts);
  if (program.inline !== undefined) {
    sentence.say(' will run the code ').quote(program.inline.text).say(' with ').quote(fileName(exe));
  } else if (program.codeOnStdin === true) {
    sentence.say(' will run code from its standard input with ').quote(fileName(exe));
  } else if (program.script === undefined) {
    const isWhole = tellCommand(sentence, exe, texts, facts.argvUnreadBytes);
    sentence.say(', a program not seen before,').say(' as ').quote(facts.user).say(' in ').quote(cwd);
    return isWhole;
  } else {
    const script = homePath(program.script.path, context.home);
    sentence
      .say(' will run the script ')
      .quote(script)
      .say(' with ')
      .quote(fileName(exe))
      .say(', not seen before,');
  }
  sentence.say(' as ').quote(facts.user).say(' in ').quote(cwd);
  return false;
}

/** The whole command line when it is short, else the program and how much stands behind it. */
function tellCommand(
  sentence: Sentence,
  exe: string,
  texts: readonly string[],
  unreadBytes: number,
): boolean {
  sentence.say(' will start ');
  const masked = redactArguments(texts).slice(1);
  const command = [exe, ...masked].map((argument) => quoted(argument)).join(' ');
  const isWhole = masked.every((argument, index) => argument === texts[index + 1]);
  if (unreadBytes === 0 && command.length <= longestCommand) {
    sentence.quote(command, longestCommand);
    return isWhole;
  }
  sentence.quote(exe, longestCommand);
  if (masked.length > 0) sentence.say(` with ${count(masked.length, 'argument')}`);
  return masked.length === 0 && unreadBytes === 0;
}

function rowsOf(facts: ExecFacts, context: ExecContext, effect: Effect | null): CardRow[] {
  const inline = rows.code(facts.program);
  const variables = rows.codeVariables(facts.program);
  return [
    rows.requestedBy(context.client),
    { label: 'Server', value: `${visibleText(context.server)}, session ${visibleText(context.session)}` },
    rows.becauseOf(facts.request, facts.requestArguments),
    rows.runs(facts.program, howNamed(facts)),
    ...(inline === null ? [] : [inline]),
    rows.withArguments(facts.argv, facts.argvUnreadBytes),
    ...(variables === null ? [] : [variables]),
    rows.workingDirectory(facts.cwd, context.workspaceFolders),
    rows.network(effect?.destination),
    mayStartOf(
      facts.program,
      facts.argv.map((argument) => argumentText(argument).text),
    ),
    { label: 'Why now', value: whyNow(facts) },
    { label: 'If you allow', value: ifAllowed(facts, context) },
    { label: 'If you deny', value: ifDenied(facts) },
  ];
}

function howNamed(facts: ExecFacts): string {
  const requested = visibleText(facts.requested);
  const by =
    facts.parentExe === undefined ? `pid ${facts.pid}` : `${visibleText(facts.parentExe)}, pid ${facts.pid}`;
  return facts.requested === facts.program.executable.path
    ? `Asked for by its full path, by ${by}`
    : `Asked for as ${quoted(requested)}, by ${by}`;
}

function whyNow(facts: ExecFacts): string {
  const what = facts.program.script === undefined ? 'This program' : 'This script';
  return `${what} was not part of the server’s start-up and was not allowed for this session.`;
}

function ifAllowed(facts: ExecFacts, context: ExecContext): string {
  const { inline, script, codeOnStdin, environment } = facts.program;
  let what = 'this exact file';
  if (inline !== undefined) what = 'this exact file with this exact code';
  else if (script !== undefined) what = 'this exact file with this exact script';
  if (environment !== undefined) what += ' and these exact variables';
  const until = `until ${visibleText(context.server)} ends`;
  const session =
    codeOnStdin === true
      ? `Session: ${what} with any code on its standard input and any arguments, ${until}.`
      : `Session: ${what} with any arguments, ${until}.`;
  return `Once: this start only.\n${session}`;
}

function ifDenied(facts: ExecFacts): string {
  const what = fileName(facts.program.script?.path ?? facts.program.executable.path);
  const told = rows.agentHears(facts.request);
  return `${visibleText(what)} doesn’t run: its caller gets “permission denied” (EACCES).${told}`;
}
