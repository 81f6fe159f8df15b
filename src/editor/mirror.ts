/**
 * The editor's picture of the desk: what the desk said, folded into the panel's state.
 *
 * Invariant: pure. The state is what the desk last said plus times of arrival; nothing here decides anything.
 */
import { withConnection } from '../core/family/connections.ts';
import type { FromDesk, ProcessView, Question, SessionView } from '../protocol/desk.ts';
import type { DeskState, PanelQuestion, PanelState } from '../protocol/panel.ts';

/** How long the supervisors wait for a lost desk before they contain on their own (DESIGN §1). */
const familiesWaitMs = 5000;
/** How long an ended question stays beside the open ones. */
const endedQuestionMs = 10_000;
const mostRefusals = 50;
const mostEndedSessions = 10;
const mostOpenFiles = 10;
/** More than this in one session and the earliest ended are counted instead of listed. */
const mostProcesses = 400;

export const emptyState: PanelState = {
  desk: { kind: 'connecting' },
  restricted: false,
  servers: [],
  proposals: [],
  questions: [],
  sessions: [],
  refusals: [],
  certificates: [],
  openFiles: [],
};

/** Questions that wait for an answer, in order of arrival. */
export function openQuestions(state: PanelState): readonly Question[] {
  return state.questions.filter(({ ending }) => ending === undefined).map(({ question }) => question);
}

/** The state of a connection that broke at `since`. */
export function lostDesk(since: string): DeskState {
  return { kind: 'lost', since, familiesEndAt: new Date(Date.parse(since) + familiesWaitMs).toISOString() };
}

/** Removes ended questions whose time beside the others is over. Returns the same object when none is. */
export function withoutEnded(state: PanelState, now: string): PanelState {
  const from = Date.parse(now) - endedQuestionMs;
  const openGroups = new Set(openQuestions(state).map(({ group }) => group));
  const questions = state.questions.filter(
    // Parts of one card leave together.
    ({ ending, question }) =>
      ending === undefined || openGroups.has(question.group) || Date.parse(ending.at) > from,
  );
  return questions.length === state.questions.length ? state : { ...state, questions };
}

/** @param now time of arrival, RFC 3339 UTC. */
export function reduce(state: PanelState, message: FromDesk, now: string): PanelState {
  switch (message.kind) {
    case 'snapshot':
      return snapshot(state, message.sessions, message.questions, now);
    case 'session':
      return { ...state, sessions: listed(upsert(state.sessions, message.session)) };
    case 'question':
      return { ...state, questions: asked(state.questions, message) };
    case 'answered':
      return end(state, message.id, answerEnding(message, now));
    case 'withdrawn':
      return end(state, message.id, { kind: 'withdrawn', reason: message.reason, at: now });
    case 'birth':
      return inSession(state, message.session, (processes) => born(processes, message));
    case 'exec':
      return changeProcess(state, message, (process) => ({
        ...process,
        state: message.step === 'held' ? 'held' : 'running',
        exe: message.exe,
        argv: message.argv,
        cwd: message.cwd,
        ...(message.request === undefined ? {} : { request: message.request }),
      }));
    case 'connection':
      return changeProcess(state, message, (process) => ({
        ...process,
        ...withConnection(process, message, now),
      }));
    case 'end':
      return changeProcess(state, message, (process) => ({
        ...process,
        state: 'ended',
        status: message.status,
        endedAt: now,
      }));
    case 'detached':
      return changeProcess(state, message, (process) => ({ ...process, detached: true }));
    case 'refusal':
      return refusal(state, message);
    case 'openFiles': {
      const others = state.openFiles.filter(
        ({ pid, startedAt }) => pid !== message.pid || startedAt !== message.startedAt,
      );
      return { ...state, openFiles: [...others, message].slice(-mostOpenFiles) };
    }
    case 'certificate': {
      const others = state.certificates.filter(({ session }) => session !== message.certificate.session);
      return { ...state, certificates: [...others, message.certificate].slice(-mostEndedSessions) };
    }
    case 'welcome':
    case 'refused':
    case 'sessions':
    case 'failed':
      // Handled where the connection is, or asked for by others.
      return state;
  }
}

function snapshot(
  state: PanelState,
  sessions: SessionView[],
  questions: Question[],
  now: string,
): PanelState {
  const ids = new Set(questions.map(({ id }) => id));
  const before = state.questions
    .filter(({ ending, question }) => ending !== undefined || !ids.has(question.id))
    .map((entry): PanelQuestion => {
      if (entry.ending !== undefined) return entry;
      return { ...entry, ending: { kind: 'withdrawn', reason: 'The desk no longer asks this.', at: now } };
    })
    .filter(({ question }) => !ids.has(question.id));
  return {
    ...state,
    sessions: listed(sessions),
    questions: [...before, ...questions.map((question) => ({ question }))],
  };
}

function upsert(sessions: readonly SessionView[], session: SessionView): SessionView[] {
  const isKnown = sessions.some((other) => other.session === session.session);
  if (!isKnown) return [...sessions, session];
  return sessions.map((other) => (other.session === session.session ? session : other));
}

/** Living sessions and the last ended ones. */
function listed(sessions: SessionView[]): SessionView[] {
  const ended = sessions.filter(({ state }) => state === 'ended');
  const dropped = new Set(ended.slice(0, Math.max(0, ended.length - mostEndedSessions)));
  return dropped.size === 0 ? sessions : sessions.filter((session) => !dropped.has(session));
}

function asked(questions: PanelQuestion[], question: Question): PanelQuestion[] {
  const isKnown = questions.some((entry) => entry.question.id === question.id);
  if (!isKnown) return [...questions, { question }];
  // A rejoined start comes again under its id; its ending, if any, stands.
  return questions.map((entry) => (entry.question.id === question.id ? { ...entry, question } : entry));
}

type Ending = NonNullable<PanelQuestion['ending']>;

function answerEnding(message: Extract<FromDesk, { kind: 'answered' }>, now: string): Ending {
  if (message.outcome === 'accepted') return { kind: 'answered', choice: message.choice, at: now };
  const reason = message.outcome === 'late' ? 'The answer came too late.' : 'It was already answered.';
  return { kind: 'withdrawn', reason, at: now };
}

/** The first ending stands: a late answer does not rewrite what happened. */
function end(state: PanelState, id: string, ending: Ending): PanelState {
  return {
    ...state,
    questions: state.questions.map((entry) =>
      entry.question.id === id && entry.ending === undefined ? { ...entry, ending } : entry,
    ),
  };
}

function inSession(
  state: PanelState,
  id: string,
  change: (processes: ProcessView[]) => ProcessView[],
): PanelState {
  return {
    ...state,
    sessions: state.sessions.map((session) =>
      session.session === id ? shortened({ ...session, processes: change(session.processes) }) : session,
    ),
  };
}

/** Counts the earliest ended processes instead of listing them, unless something listed hangs under them. */
function shortened(session: SessionView): SessionView {
  const over = session.processes.length - mostProcesses;
  if (over <= 0) return session;
  const parents = new Set(
    session.processes.map(({ ppid, parentStartedAt }) => `${ppid} ${parentStartedAt ?? ''}`),
  );
  const dropped = new Set(
    session.processes
      .filter(({ state, pid, startedAt }) => state === 'ended' && !parents.has(`${pid} ${startedAt}`))
      .slice(0, over),
  );
  return {
    ...session,
    processes: session.processes.filter((process) => !dropped.has(process)),
    endedUnlisted: session.endedUnlisted + dropped.size,
  };
}

function born(processes: ProcessView[], message: Extract<FromDesk, { kind: 'birth' }>): ProcessView[] {
  const { pid, startedAt, ppid, parentStartedAt, request } = message;
  if (processes.some((process) => process.pid === pid && process.startedAt === startedAt)) return processes;
  // Until it becomes another program, a child runs its parent's.
  const parent = processes.find((process) => process.pid === ppid && process.startedAt === parentStartedAt);
  const process: ProcessView = {
    pid,
    startedAt,
    ppid,
    ...(parentStartedAt === undefined ? {} : { parentStartedAt }),
    state: 'running',
    ...(parent?.exe === undefined ? {} : { exe: parent.exe }),
    argv: parent?.argv ?? [],
    ...(parent?.cwd === undefined ? {} : { cwd: parent.cwd }),
    ...(request === undefined ? {} : { request }),
    detached: false,
  };
  return [...processes, process];
}

function changeProcess(
  state: PanelState,
  key: { readonly session: string; readonly pid: number; readonly startedAt: string },
  change: (process: ProcessView) => ProcessView,
): PanelState {
  return inSession(state, key.session, (processes) =>
    processes.map((process) =>
      process.pid === key.pid && process.startedAt === key.startedAt ? change(process) : process,
    ),
  );
}

function refusal(state: PanelState, message: Extract<FromDesk, { kind: 'refusal' }>): PanelState {
  const { session, pid, startedAt, what, rule, text, at } = message;
  const entry = { ...(session === undefined ? {} : { session }), rule, text, at };
  const next = { ...state, refusals: [...state.refusals, entry].slice(-mostRefusals) };
  // Only a refused program leaves its mark on the process; it goes on after a refused call.
  if (what !== 'exec' || session === undefined || pid === undefined || startedAt === undefined) return next;
  return changeProcess(next, { session, pid, startedAt }, (process) => ({
    ...process,
    state: process.state === 'held' ? 'running' : process.state,
    refusedBy: rule,
  }));
}
