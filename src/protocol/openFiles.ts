/** The answer to a reviewer who asks what a process has open. */
import * as z from 'zod';
import type { OpenFilesFound } from '../core/openFiles.ts';
import { time } from './facts.ts';

const openFile = z.strictObject({
  path: z.string(),
  note: z.enum(['credentials', 'project', 'temporary']),
  access: z.enum(['read', 'write', 'read and write', 'unknown']),
  descriptors: z.int().positive(),
  deleted: z.boolean(),
});

const found = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('read'),
    cwd: z.string().exactOptional(),
    exe: z.string().exactOptional(),
    files: z.array(openFile).readonly(),
    sockets: z.int().nonnegative(),
    pipes: z.int().nonnegative(),
    others: z.int().nonnegative(),
    unlisted: z.int().nonnegative(),
  }),
  z.strictObject({ kind: z.literal('unreadable'), reason: z.string() }),
]) satisfies z.ZodType<OpenFilesFound>;

export const openFiles = z.strictObject({
  kind: z.literal('openFiles'),
  session: z.string(),
  pid: z.int(),
  startedAt: time,
  /** When it was looked at. */
  at: time,
  found,
});
export type OpenFiles = z.infer<typeof openFiles>;
