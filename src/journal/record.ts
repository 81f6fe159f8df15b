/**
 * What the journal holds: one union of record bodies, whatever form the lines on disk take. `sequence` orders
 * events; `at` is the clock's word and may step back.
 */
import * as z from 'zod';
import { persistenceChange } from '../protocol/certificate.ts';
import { certificate, choice, question, refused, rule, transition } from '../protocol/desk.ts';
import {
  argument,
  clientFacts,
  connectionFacts,
  endpoint,
  errnoName,
  execFacts,
  requestRef,
  socketAction,
  startFacts,
  startTicks,
  time,
  transport,
} from '../protocol/facts.ts';

const session = z.string();
const processKey = { pid: z.int().positive(), startedAt: time };
const peer = z.strictObject({ pid: z.int(), startTicks });

/** Who or what decided. `grant`: an earlier answer, named by its question. `desk`: a rule, without a person. */
export const decider = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reviewer'), ...peer.shape }),
  z.strictObject({ kind: z.literal('operator'), ...peer.shape }),
  z.strictObject({ kind: z.literal('grant'), question: z.string() }),
  z.strictObject({ kind: z.literal('desk') }),
]);
export type Decider = z.infer<typeof decider>;

export const recordBody = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('desk started'),
    pid: z.int(),
    startTicks,
    bootId: z.string(),
    protocol: z.int(),
    /** Value of `KINWATCH_HOME`; null when it is not set. */
    override: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal('desk ended'), reason: z.string() }),
  /** The start log: PATH, HOME, TMPDIR, working directory, resolved command with digest, names of the rest. */
  z.strictObject({
    kind: z.literal('session opened'),
    session,
    /** `rejoined`: a later launch took up a waiting start. `resumed`: its supervisor came back to a new desk. */
    entry: z.enum(['first', 'rejoined', 'resumed']),
    supervisor: peer,
    /** Which boot its processes' pids and start times belong to: `random(4)`. */
    bootId: z.string(),
    facts: startFacts,
  }),
  /** Files that usually hold credentials, found where the server works. Names; `complete` false: there may be more. */
  z.strictObject({
    kind: z.literal('credential files'),
    session,
    files: z.array(z.string()).readonly(),
    complete: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('question asked'),
    question,
    /** Absent for a start: its record is `session opened`. */
    facts: z.union([execFacts, connectionFacts]).exactOptional(),
  }),
  /** Another connection of the same program to the same place: the question's answer is its answer. */
  z.strictObject({ kind: z.literal('question joined'), question: z.string(), facts: connectionFacts }),
  z.strictObject({
    kind: z.literal('decision'),
    session,
    transition,
    /** Absent when nothing had to be asked. */
    question: z.string().exactOptional(),
    by: decider,
    choice: choice.exactOptional(),
    allow: z.boolean(),
    scope: z.enum(['once', 'session']).exactOptional(),
    rule: rule.exactOptional(),
    /** What it is about: the program's or the command's real path, where to, and its digest where there is one. */
    subject: z.string(),
    digest: z.string().exactOptional(),
    text: z.string(),
  }),
  /** An answer that came too late or second; it decided nothing. */
  z.strictObject({
    kind: z.literal('answer ignored'),
    question: z.string(),
    choice,
    by: decider,
    outcome: z.enum(['late', 'already answered']),
  }),
  z.strictObject({
    kind: z.literal('birth'),
    session,
    ...processKey,
    startTicks,
    ppid: z.int(),
    request: requestRef.exactOptional(),
  }),
  z.strictObject({
    kind: z.enum(['released', 'confirmed']),
    session,
    ...processKey,
    because: z.string().exactOptional(),
    exe: z.string(),
    digest: z.string().exactOptional(),
    /** As it was asked for, where that is not `exe`. */
    requested: z.string().exactOptional(),
    /** Variables that make it load or run other code and that are not the session's own. */
    environment: z.array(argument).readonly().exactOptional(),
    argv: z.array(argument).readonly(),
    cwd: z.string(),
    request: requestRef.exactOptional(),
  }),
  /** `released`: it goes on. `done` and `failed`: what came of it. Listening, sending and handing over too. */
  z.strictObject({
    kind: z.literal('connection'),
    session,
    ...processKey,
    action: socketAction,
    transport,
    endpoint,
    host: z.string().exactOptional(),
    step: z.enum(['released', 'done', 'failed']),
    because: z.string().exactOptional(),
    error: errnoName.exactOptional(),
    request: requestRef.exactOptional(),
  }),
  /** Connections of one program to one place that were counted and not written one by one. */
  z.strictObject({
    kind: z.literal('connections counted'),
    session,
    step: z.enum(['held', 'released', 'refused', 'done', 'failed']),
    /** The program and where to. Empty for several. */
    of: z.string(),
    count: z.int().positive(),
    since: time,
    until: time,
  }),
  z.strictObject({ kind: z.literal('end'), session, ...processKey, status: z.string() }),
  z.strictObject({ kind: z.literal('detached'), session, ...processKey }),
  z.strictObject({
    kind: z.literal('refusal'),
    session: session.exactOptional(),
    pid: z.int().exactOptional(),
    startedAt: time.exactOptional(),
    what: refused,
    rule,
    text: z.string(),
  }),
  /** Refusals of one rule and program that were counted and not written one by one. `exe` is empty for several. */
  z.strictObject({
    kind: z.literal('refusals counted'),
    session: session.exactOptional(),
    what: refused,
    rule,
    exe: z.string(),
    count: z.int().positive(),
    since: time,
    until: time,
  }),
  /** Kinwatch's own files that are not what they were: paths, with what they were and are now. Null: not there. */
  z.strictObject({
    kind: z.literal('installation changed'),
    /** Sessions whose families ran when it happened; those that still run are contained. */
    sessions: z.array(session).readonly(),
    /** `between desks`: compared with what the desk before this one knew. */
    when: z.enum(['between desks', 'while the desk ran']),
    files: z
      .array(z.strictObject({ path: z.string(), was: z.string().nullable(), is: z.string().nullable() }))
      .readonly(),
  }),
  z.strictObject({ kind: z.literal('request'), session, request: requestRef, arguments: z.string() }),
  z.strictObject({
    kind: z.literal('result'),
    session,
    number: z.int().positive(),
    outcome: z.string(),
  }),
  z.strictObject({ kind: z.literal('containment asked'), session, by: decider }),
  z.strictObject({
    kind: z.literal('process stop asked'),
    session,
    ...processKey,
    by: decider,
  }),
  z.strictObject({ kind: z.literal('process stop answered'), session, ...processKey, outcome: z.string() }),
  z.strictObject({
    kind: z.literal('evidence written'),
    session,
    folder: z.string().nullable(),
    manifest: z.string().nullable(),
    gaps: z.array(z.string()).readonly(),
  }),
  /** Places that run something later, compared at a session's end. `sessions`: those that ran meanwhile. */
  z.strictObject({
    kind: z.literal('persistence'),
    session,
    sessions: z.array(session).readonly(),
    changes: z.array(persistenceChange.omit({ sessions: true })).readonly(),
    gaps: z.array(z.string()).readonly(),
  }),
  z.strictObject({ kind: z.literal('certificate'), certificate }),
  z.strictObject({ kind: z.literal('session ended'), session, cause: z.string(), client: clientFacts }),
  z.strictObject({ kind: z.literal('reviewer enrolled'), ...peer.shape, exe: z.string().nullable() }),
  z.strictObject({ kind: z.literal('reviewer connected'), ...peer.shape, exe: z.string().nullable() }),
  /** Records that could not be written before this one, and why. */
  z.strictObject({ kind: z.literal('gap'), lost: z.int().positive(), reason: z.string() }),
]);
export type RecordBody = z.infer<typeof recordBody>;

export const journalRecord = z.strictObject({
  sequence: z.int().positive(),
  at: time,
  body: recordBody,
});
export type JournalRecord = z.infer<typeof journalRecord>;
