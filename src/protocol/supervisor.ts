/**
 * The supervisor's side of the desk's wire, as the desk reads it. Same framing and limits as `desk.ts`; what the desk
 * says to a supervisor is in `toSupervisor.ts`.
 */
import * as z from 'zod';
import { certificate, coverage, rule } from './desk.ts';
import {
  argument,
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
} from './facts.ts';

const key = { pid: z.int().positive(), startedAt: time };

/** Supervisor → desk. Released programs and births are sent before they go on; order is the order of events. */
export const fromSupervisor = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('hello'),
    role: z.literal('supervisor'),
    protocol: z.int(),
    /** The session to take up again after a lost desk; absent at the first connection. */
    session: z.string().exactOptional(),
  }),
  /** Announces the run and asks the first-start question; answered by `decision` with ref `start`. */
  z.strictObject({ kind: z.literal('open'), facts: startFacts, heldUntil: time }),
  /** A held exec; answered by `decision` with the same ref. */
  z.strictObject({ kind: z.literal('ask'), ref: z.string(), facts: execFacts, heldUntil: time }),
  /** A held connection or listener; answered by `decision` with the same ref. */
  z.strictObject({
    kind: z.literal('ask connection'),
    ref: z.string(),
    facts: connectionFacts,
    heldUntil: time,
  }),
  /** The caller of a held thing went away, or cancelled its request. */
  z.strictObject({ kind: z.literal('withdraw'), ref: z.string(), reason: z.string() }),
  z.strictObject({ kind: z.literal('running'), coverage }),
  /** Every {@link heartbeatMs} from `running` to `ended`: the watch thread serves its family. Never answered. */
  z.strictObject({ kind: z.literal('heartbeat') }),
  z.strictObject({ kind: z.literal('request'), request: requestRef, arguments: z.string(), at: time }),
  z.strictObject({
    kind: z.literal('result'),
    number: z.int().positive(),
    outcome: z.enum(['result', 'tool error', 'error', 'cancelled', 'marked denied']),
    at: time,
  }),
  z.strictObject({
    kind: z.literal('birth'),
    ...key,
    startTicks,
    ppid: z.int().nonnegative(),
    parentStartedAt: time.exactOptional(),
    request: requestRef.exactOptional(),
    at: time,
  }),
  z.strictObject({
    kind: z.literal('exec'),
    ...key,
    step: z.enum(['released', 'confirmed']),
    /** Why it was released unasked. Absent for `confirmed`. */
    because: z.string().exactOptional(),
    exe: z.string(),
    digest: z.string().exactOptional(),
    /** As it was asked for, where that is not `exe`. With `released`, as what follows. */
    requested: z.string().exactOptional(),
    /** Variables that make it load or run other code and that are not the session's own. Absent: none. */
    environment: z.array(argument).readonly().exactOptional(),
    argv: z.array(argument).readonly(),
    cwd: z.string(),
    request: requestRef.exactOptional(),
    at: time,
  }),
  z.strictObject({
    kind: z.literal('connection'),
    ...key,
    step: z.enum(['released', 'done', 'failed']),
    action: socketAction,
    transport,
    endpoint,
    host: z.string().exactOptional(),
    /** Why it was released unasked, or what allowed it. With `released`. */
    because: z.string().exactOptional(),
    /** With `failed`. */
    error: errnoName.exactOptional(),
    request: requestRef.exactOptional(),
    at: time,
  }),
  z.strictObject({ kind: z.literal('end'), ...key, status: z.string(), at: time }),
  z.strictObject({ kind: z.literal('detached'), ...key, at: time }),
  z.strictObject({
    kind: z.literal('refusal'),
    ...key,
    what: z.enum(['exec', 'socket', 'system call']),
    rule,
    text: z.string(),
    /** The program that was not started, or that made the refused call. */
    exe: z.string().exactOptional(),
    request: requestRef.exactOptional(),
    at: time,
  }),
  z.strictObject({ kind: z.literal('coverage'), coverage }),
  /** Everything is stopped; the desk writes the evidence and answers `evidence`. */
  z.strictObject({
    kind: z.literal('frozen'),
    cause: z.string(),
    members: z.array(
      z.strictObject({
        ...key,
        startTicks,
        ppid: z.int(),
        state: z.string(),
        exe: z.string().exactOptional(),
        argv: z.array(argument).readonly(),
        cwd: z.string().exactOptional(),
      }),
    ),
  }),
  z.strictObject({ kind: z.literal('ending'), cause: z.string() }),
  /** The last message: the family has ended. */
  z.strictObject({ kind: z.literal('ended'), cause: z.string(), certificate }),
  /** A single process was ended, or why not. */
  z.strictObject({ kind: z.literal('stopped'), ...key, outcome: z.string() }),
]);
export type FromSupervisor = z.infer<typeof fromSupervisor>;
