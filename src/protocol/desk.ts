/**
 * The desk's wire: one JSON object a line on `desk.sock`, every message has `kind` (DESIGN §7).
 * This file holds what reviewers and operators say and hear; `supervisor.ts` holds the supervisor's side.
 *
 * To the desk, a line over {@link maxLineBytes}, an unknown kind or a field of the wrong type closes the
 * connection with a reason.
 */
import * as z from 'zod';
import type { ConnectionSeen } from '../core/family/connections.ts';
import { certificate } from './certificate.ts';
import { choice, refused, role, rule, transition } from './closedLists.ts';
import {
  argument,
  clientFacts,
  endpoint,
  errnoName,
  requestRef,
  socketAction,
  time,
  transport,
} from './facts.ts';
import { openFiles } from './openFiles.ts';

export { maxLineBytes, protocolVersion } from './wire.ts';

export { type Certificate, certificate } from './certificate.ts';
export { choice, refused, role, rule, transition } from './closedLists.ts';
export type { Choice, Refused, Role, Rule, Transition } from './closedLists.ts';

const rowDetail = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('argv'), argv: z.array(argument).readonly() }),
  z.strictObject({ kind: z.literal('path'), path: z.string(), notes: z.array(z.string()).readonly() }),
  z.strictObject({ kind: z.literal('claim'), notes: z.array(z.string()).readonly(), claim: z.string() }),
  z.strictObject({ kind: z.literal('warning'), warnings: z.array(z.string()).readonly() }),
  z.strictObject({ kind: z.literal('script'), text: z.string(), origin: z.string() }),
  z.strictObject({ kind: z.literal('request'), label: z.string(), arguments: z.string() }),
]);
export type RowDetail = z.infer<typeof rowDetail>;

/** `value` is always complete plain text, hidden characters written as tokens; `detail` serves a rich view. */
const row = z.strictObject({ label: z.string(), value: z.string(), detail: rowDetail.exactOptional() });
export type Row = z.infer<typeof row>;

/** A piece of a headline: `code` pieces come from a family and are shown as data. */
const headlinePart = z.strictObject({ kind: z.enum(['text', 'code']), text: z.string() });
export type HeadlinePart = z.infer<typeof headlinePart>;

export const question = z.strictObject({
  kind: z.literal('question'),
  id: z.string(),
  session: z.string(),
  server: z.string(),
  transition,
  headline: z.string(),
  headlineParts: z.array(headlinePart),
  /** True when the headline alone holds the whole consequence, so that a notification may offer Allow once. */
  headlineComplete: z.boolean(),
  rows: z.array(row),
  group: z.string(),
  options: z.array(choice),
  askedAt: time,
  /** When the question closes. Absent for a start: it stays open for rejoining. */
  expiresAt: time.exactOptional(),
  /** When the caller stops waiting. */
  heldUntil: time.exactOptional(),
  /** The held process, to find its row in the tree. Absent for a start. */
  process: z.strictObject({ pid: z.int(), startedAt: time }).exactOptional(),
  request: requestRef.exactOptional(),
});
export type Question = z.infer<typeof question>;

export const connectionSeen = z.strictObject({
  action: socketAction,
  transport,
  endpoint,
  host: z.string().exactOptional(),
  state: z.enum(['held', 'connecting', 'open', 'listening', 'failed', 'refused']),
  since: time,
  error: errnoName.exactOptional(),
}) satisfies z.ZodType<ConnectionSeen>;

export const processView = z.strictObject({
  pid: z.int(),
  /** Identity together with pid: RFC 3339 UTC, constant for the life of the process. */
  startedAt: time,
  /** Parent at birth, so that lineage survives the parent. */
  ppid: z.int(),
  parentStartedAt: time.exactOptional(),
  state: z.enum(['running', 'held', 'ended']),
  exe: z.string().exactOptional(),
  argv: z.array(argument).readonly(),
  cwd: z.string().exactOptional(),
  request: requestRef.exactOptional(),
  /** True once its parent has ended and it hangs under the supervisor, or it has made a session of its own. */
  detached: z.boolean(),
  endedAt: time.exactOptional(),
  /** `exit 0`, `signal SIGKILL`, or `unknown`. Absent while it runs. */
  status: z.string().exactOptional(),
  /** Set when its last exec was refused. */
  refusedBy: rule.exactOptional(),
  /** Where it connected to, newest last. Absent: nowhere. */
  connections: z.array(connectionSeen).exactOptional(),
  /** Destinations that are no longer listed. Absent: none. */
  connectionsUnlisted: z.int().positive().exactOptional(),
});
export type ProcessView = z.infer<typeof processView>;

export const coverage = z.strictObject({
  level: z.enum(['held', 'observed', 'sampled']),
  text: z.string(),
  /** Counted gaps, by what was missed. Empty when nothing was. */
  gaps: z.record(z.string(), z.int().positive()),
});
export type Coverage = z.infer<typeof coverage>;

export const sessionView = z.strictObject({
  session: z.string(),
  server: z.string(),
  client: clientFacts,
  state: z.enum(['asking', 'running', 'ending', 'ended']),
  coverage,
  startedAt: time,
  endedAt: time.exactOptional(),
  /** Why it ended, in words. Absent while it lives. */
  cause: z.string().exactOptional(),
  overrides: z.array(z.string()).readonly(),
  processes: z.array(processView),
  /** Processes that ended and are no longer listed. */
  endedUnlisted: z.int().nonnegative(),
  certificate: certificate.exactOptional(),
});
export type SessionView = z.infer<typeof sessionView>;

/** To the desk, from a reviewer or an operator. */
export const toDesk = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hello'), role, protocol: z.int(), token: z.string().exactOptional() }),
  z.strictObject({ kind: z.literal('answer'), id: z.string(), choice }),
  z.strictObject({
    kind: z.literal('workspace'),
    folders: z.array(z.string()).readonly(),
    trusted: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('contain'), session: z.string() }),
  z.strictObject({ kind: z.literal('stopProcess'), session: z.string(), pid: z.int(), startedAt: time }),
  /** What a member has open; answered by `openFiles`. */
  z.strictObject({ kind: z.literal('openFiles'), session: z.string(), pid: z.int(), startedAt: time }),
  z.strictObject({ kind: z.literal('ps') }),
]);
export type ToDesk = z.infer<typeof toDesk>;

/** One row of `kinwatch ps --json` (DESIGN §7). */
export const psProcess = z.strictObject({
  pid: z.int(),
  ppid: z.int(),
  startedAt: time,
  user: z.string(),
  /** Seconds since it started. */
  elapsed: z.number(),
  /** State letter of `ps(1)`; empty when it ended between listing and look. */
  stat: z.string(),
  command: z.string(),
  exe: z.string().nullable(),
  argv: z.array(argument).readonly(),
  cwd: z.string().nullable(),
  session: z.string(),
  detached: z.boolean(),
});
export const psSession = z.strictObject({
  session: z.string(),
  server: z.string(),
  client: clientFacts,
  coverage,
  startedAt: time,
  processes: z.array(psProcess),
});
export type PsSession = z.infer<typeof psSession>;

/** From the desk, to a reviewer or an operator. */
export const fromDesk = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('welcome'),
    protocol: z.int(),
    enrolled: z.enum(['new', 'known']).exactOptional(),
  }),
  z.strictObject({ kind: z.literal('refused'), reason: z.string() }),
  z.strictObject({
    kind: z.literal('snapshot'),
    sessions: z.array(sessionView),
    questions: z.array(question),
  }),
  z.strictObject({ kind: z.literal('session'), session: sessionView }),
  z.strictObject({
    kind: z.literal('birth'),
    session: z.string(),
    pid: z.int(),
    startedAt: time,
    ppid: z.int(),
    parentStartedAt: time.exactOptional(),
    request: requestRef.exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('exec'),
    session: z.string(),
    pid: z.int(),
    startedAt: time,
    exe: z.string(),
    argv: z.array(argument).readonly(),
    cwd: z.string(),
    request: requestRef.exactOptional(),
    /** `held`: it waits for an answer. `released`: it goes on. `confirmed`: the program that really started. */
    step: z.enum(['held', 'released', 'confirmed']),
  }),
  z.strictObject({
    kind: z.literal('connection'),
    session: z.string(),
    pid: z.int(),
    startedAt: time,
    action: socketAction,
    transport,
    endpoint,
    host: z.string().exactOptional(),
    request: requestRef.exactOptional(),
    /** `held`: it waits for an answer. `released`: it goes on. `done` and `failed`: what came of it. */
    step: z.enum(['held', 'released', 'refused', 'done', 'failed']),
    /** With `failed`. */
    error: errnoName.exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('end'),
    session: z.string(),
    pid: z.int(),
    startedAt: time,
    status: z.string(),
  }),
  z.strictObject({ kind: z.literal('detached'), session: z.string(), pid: z.int(), startedAt: time }),
  z.strictObject({
    kind: z.literal('refusal'),
    session: z.string().exactOptional(),
    pid: z.int().exactOptional(),
    startedAt: time.exactOptional(),
    what: refused,
    rule,
    text: z.string(),
    at: time,
  }),
  question,
  z.strictObject({
    kind: z.literal('answered'),
    id: z.string(),
    choice,
    outcome: z.enum(['accepted', 'late', 'already answered']),
  }),
  z.strictObject({ kind: z.literal('withdrawn'), id: z.string(), reason: z.string() }),
  z.strictObject({ kind: z.literal('certificate'), certificate }),
  openFiles,
  z.strictObject({ kind: z.literal('sessions'), sessions: z.array(psSession) }),
  z.strictObject({ kind: z.literal('failed'), request: z.string(), reason: z.string() }),
]);
export type FromDesk = z.infer<typeof fromDesk>;
