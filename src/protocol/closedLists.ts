/** The closed lists of the desk's wire (DESIGN §7): what may be named, and nothing else. */
import * as z from 'zod';

export const transition = z.enum([
  'new executable',
  'changed offer',
  'first start',
  'local to network',
  'work handed outside',
]);
export type Transition = z.infer<typeof transition>;

/** Why something was denied or refused without (or against) a person's answer. A closed list. */
export const rule = z.enum([
  'denied by reviewer',
  'contained by reviewer',
  'no answer in time',
  'no reviewer connected',
  'caller went away',
  'desk lost',
  'record could not be written',
  'arguments unreadable',
  'arguments too large',
  'program unreadable',
  'memory-only or deleted file',
  'program differs from what was judged',
  'family is ending',
  'local only',
  'kind of socket',
  'TCP fast open',
  'address unreadable',
  'control socket of Kinwatch',
  'control socket of an editor',
  'display',
  'abstract socket outside the family',
  'process outside the family',
  'namespace outside the family',
  'io_uring',
  'foreign architecture',
  'peer is in a family',
  'peer descends from a client',
  'peer runs under an editor terminal',
  'peer cannot be read',
  'wrong token',
  'wrong user',
  'wrong protocol version',
  'not allowed in this role',
  'not an ancestor of the family',
  'malformed message',
  'defined in an untrusted workspace',
  'too many questions at once',
  'installation changed',
  'record could not be read',
]);
export type Rule = z.infer<typeof rule>;

/** What a refusal is about. A closed list. */
export const refused = z.enum([
  'exec',
  'start',
  'reviewer',
  'operator',
  'supervisor',
  'answer',
  'connection',
  'installation',
  'socket',
  'system call',
]);
export type Refused = z.infer<typeof refused>;

export const choice = z.enum(['deny', 'once', 'session', 'contain']);
export type Choice = z.infer<typeof choice>;

export const role = z.enum(['reviewer', 'operator', 'supervisor', 'gateway']);
export type Role = z.infer<typeof role>;
