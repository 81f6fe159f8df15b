/** The card of a connection, a listener or a hand-over: DESIGN §3, transition 2. */
import type { ConnectionFacts } from '../facts.ts';
import { fileName } from '../identity/clientName.ts';
import { destinationText } from '../transition/judgeConnection.ts';
import { meaningOf, type Service } from '../transition/services.ts';
import { placeOf } from './addressWords.ts';
import { type Card, type CardRow, card, type ExecContext } from './cardShape.ts';
import { actorName, connectionPlace, shown } from './connectionWords.ts';
import { networkOf } from './networkRow.ts';
import * as rows from './rows.ts';
import { systemProgram } from './effect.ts';
import { sshTarget } from './sshArguments.ts';
import { visibleText } from './visible.ts';
import { argumentText, clock, homePath, Sentence } from './words.ts';

export function connectionCard(facts: ConnectionFacts, context: ExecContext): Card {
  const sentence = new Sentence();
  tellProgram(sentence, facts, context);
  const told = tellAction(sentence, facts);
  sentence.say('.');
  const { inline, codeOnStdin, environment } = facts.program;
  const isPlain = inline === undefined && codeOnStdin !== true && environment === undefined;
  return card(connectionTransition(facts), sentence, told && isPlain, rowsOf(facts, context));
}

/** What another program of this machine does with what it is handed is outside the family. */
export function connectionTransition({
  action,
  endpoint,
}: ConnectionFacts): 'local to network' | 'work handed outside' {
  return endpoint.kind === 'inet' || action === 'listen' ? 'local to network' : 'work handed outside';
}

export function serviceOf({ endpoint }: ConnectionFacts): Service | undefined {
  if (endpoint.kind !== 'unix') return undefined;
  const meaning = meaningOf(endpoint.path, []);
  return meaning.kind === 'service' ? meaning.service : undefined;
}

/** "`fetch.py`, run by `python3` for `run_test` #17," or only "`ssh`". */
function tellProgram(sentence: Sentence, { program, request }: ConnectionFacts, { home }: ExecContext): void {
  const exe = fileName(program.executable.path);
  const isCertain = request?.attribution === 'certain';
  if (program.script !== undefined) {
    sentence.quote(homePath(program.script.path, home)).say(', run by ').quote(exe, 40);
  } else {
    // A short name is for what the system keeps; anybody can call a file `ssh`.
    const isSystem = systemProgram(program) !== null;
    sentence.quote(isSystem ? exe : homePath(program.executable.path, home));
    if (program.inline !== undefined) sentence.say(', running code from its command line');
    else if (program.codeOnStdin === true) sentence.say(', running code from its standard input');
    else if (isCertain) sentence.say(', started');
  }
  if (isCertain) {
    sentence
      .say(' for ')
      .quote(request.tool ?? request.method, 40)
      .say(` #${request.number}`);
  }
  const hasAside = isCertain || program.inline !== undefined || program.codeOnStdin === true;
  sentence.say(hasAside || program.script !== undefined ? ', will ' : ' will ');
}

/** @returns true when nothing of the consequence stays out of the sentence. */
function tellAction(sentence: Sentence, facts: ConnectionFacts): boolean {
  if (facts.action === 'listen') return tellListen(sentence, facts);
  return facts.endpoint.kind === 'inet' ? tellInet(sentence, facts) : tellLocal(sentence, facts);
}

/** Without a connection: what goes out is all there is. */
function sends({ action, transport }: ConnectionFacts): boolean {
  return action === 'send' || transport === 'udp' || transport === 'icmp';
}

function tellInet(sentence: Sentence, facts: ConnectionFacts): boolean {
  const { transport, endpoint, host, listener } = facts;
  if (endpoint.kind !== 'inet') return false;
  if (transport === 'icmp') sentence.say('send ICMP messages (ping) to ');
  else sentence.say(sends(facts) ? 'send to ' : 'connect to ');
  const isHere = listener !== undefined || placeOf(endpoint.address).kind === 'this machine';
  if (listener !== undefined) sentence.quote(fileName(listener), 40).say(' on this machine, ');
  else if (isHere) sentence.say('this machine, ');
  sentence.quote(host ?? endpoint.address);
  if (transport !== 'icmp') sentence.say(` port ${endpoint.port}`);
  if (transport === 'udp') sentence.say(' over UDP');
  if (isHere) sentence.say(',');
  return tellIdentity(sentence, facts);
}

/** As whom: for ssh the name it signs in with and what it runs there, where its arguments say so plainly. */
function tellIdentity(sentence: Sentence, { program, argv, host, user, action }: ConnectionFacts): boolean {
  const texts = argv.map((argument) => argumentText(argument).text);
  const target = action === 'connect' && systemProgram(program) === 'ssh' ? sshTarget(texts) : null;
  const isThere = target !== null && target.host === host;
  sentence.say(' as ').quote(isThere ? (target.user ?? user) : user);
  if (!isThere) return true;
  if (target.command !== undefined) sentence.say(' and run ').quote(target.command).say(' there');
  return target.complete;
}

/** A socket of this machine. Never the whole consequence: what is handed over stands nowhere. */
function tellLocal(sentence: Sentence, facts: ConnectionFacts): boolean {
  const { endpoint, listener, user } = facts;
  const service = serviceOf(facts);
  if (service !== undefined) sentence.say(`hand work to ${service.name} through `);
  else if (listener === undefined) sentence.say('talk to another program through ');
  else sentence.say('talk to ').quote(fileName(listener), 40).say(' through ');
  sentence.quote(destinationText(endpoint)).say(' as ').quote(user);
  return false;
}

function tellListen(sentence: Sentence, { endpoint, transport }: ConnectionFacts): boolean {
  sentence.say(transport === 'udp' ? 'receive what is sent over UDP ' : 'accept connections ');
  if (endpoint.kind !== 'inet') {
    sentence.say('from programs of this machine through ').quote(destinationText(endpoint));
    return true;
  }
  sentence.say(endpoint.port === 0 ? 'on a port that the system chooses, ' : `on port ${endpoint.port}, `);
  const place = placeOf(endpoint.address);
  if (place.kind === 'this machine') sentence.say('from this machine only');
  else if (place.kind === 'every network') sentence.say(`from ${place.words}`);
  else sentence.say('from the network of ').quote(endpoint.address);
  return true;
}

function rowsOf(facts: ConnectionFacts, context: ExecContext): CardRow[] {
  const inline = rows.code(facts.program);
  const variables = rows.codeVariables(facts.program);
  const started = `Process ${facts.pid}, started ${clock(facts.startedAt)}`;
  return [
    rows.requestedBy(context.client),
    { label: 'Server', value: `${visibleText(context.server)}, session ${visibleText(context.session)}` },
    rows.becauseOf(facts.request, facts.requestArguments),
    rows.runs(facts.program, started),
    ...(inline === null ? [] : [inline]),
    rows.withArguments(facts.argv),
    ...(variables === null ? [] : [variables]),
    rows.workingDirectory(facts.cwd, context.workspaceFolders),
    networkOf(facts, serviceOf(facts)),
    rows.mayStart,
    { label: 'Why now', value: whyNow(facts) },
    { label: 'If you allow', value: ifAllowed(facts, context) },
    { label: 'If you deny', value: ifDenied(facts) },
  ];
}

function whyNow(facts: ConnectionFacts): string {
  const name = shown(actorName(facts));
  if (facts.action === 'listen')
    return `${name} was not allowed for this session to listen on ${connectionPlace(facts)}.`;
  return `${name} was not allowed for this session to reach ${connectionPlace(facts)}.`;
}

function ifAllowed(facts: ConnectionFacts, context: ExecContext): string {
  const { inline, script } = facts.program;
  let program = 'this program';
  if (inline !== undefined) program = 'this program with this exact code';
  else if (script !== undefined) program = 'this program with this exact script';
  const until = `until ${visibleText(context.server)} ends`;
  if (facts.action === 'listen')
    return `Once: this listener only.\nSession: ${program} listening on ${connectionPlace(facts)}, ${until}.`;
  const others =
    facts.host === undefined
      ? ''
      : ' Other addresses of the same name may be tried until one of them answers.';
  const once = sends(facts) ? 'this time only' : 'this connection only';
  return `Once: ${once}.${others}\nSession: ${program} to ${connectionPlace(facts)}, ${until}.`;
}

function ifDenied(facts: ConnectionFacts): string {
  const name = shown(actorName(facts));
  let what = `${name} isn’t connected`;
  if (facts.action === 'listen') what = `${name} doesn’t listen`;
  else if (sends(facts)) what = `${name} sends nothing there`;
  return `${what}: it gets “permission denied” (EACCES) and goes on.${rows.agentHears(facts.request)}`;
}
