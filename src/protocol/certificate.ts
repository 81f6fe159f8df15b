/** What a family's end leaves in writing. Travels on the desk's wire and stands in the record. */
import * as z from 'zod';
import { type PersistenceChange, persistenceKinds } from '../core/consequence/stayedBehind.ts';
import { time } from './facts.ts';

/** Something that runs later, put there or changed by whoever wrote while the sessions ran. */
export const persistenceChange = z.strictObject({
  place: z.enum(persistenceKinds),
  path: z.string(),
  change: z.enum(['appeared', 'changed', 'disappeared']),
  /** Which sessions ran meanwhile, the certificate's own included. Who did it is not known. */
  sessions: z.array(z.string()).readonly(),
}) satisfies z.ZodType<PersistenceChange>;

export const certificate = z.strictObject({
  session: z.string(),
  cause: z.string(),
  signalled: z.array(
    z.strictObject({
      pid: z.int(),
      startedAt: time,
      command: z.string(),
      signals: z.array(z.strictObject({ signal: z.string(), at: time })),
    }),
  ),
  /** Members found alive after the end. Where they could not be counted: all that were recorded, and a gap says so. */
  survivors: z.int().nonnegative(),
  /** True only when the kernel said so: the notification listener hung up. */
  proved: z.boolean(),
  /** Named and not reached. */
  outside: z.array(z.string()).readonly(),
  /** Null when the end needed no evidence folder or it could not be written (then `gaps` says why). */
  evidence: z.strictObject({ folder: z.string(), manifest: z.string() }).nullable(),
  gaps: z.array(z.string()).readonly(),
  /** What stayed behind in places that run something later. Empty: nothing. Absent: nobody compared. */
  persistence: z.array(persistenceChange).readonly().exactOptional(),
  requestedAt: time,
  durationMs: z.number().nonnegative(),
  evidenceMs: z.number().nonnegative(),
});
export type Certificate = z.infer<typeof certificate>;
