/** The closed lists of the desk's wire (DESIGN §7): what may be named, and nothing else. */
import * as z from 'zod';
import { rules } from './rules.ts';

export const transition = z.enum([
  'new executable',
  'changed offer',
  'first start',
  'local to network',
  'work handed outside',
]);
export type Transition = z.infer<typeof transition>;

export const rule = z.enum(rules);
export type { Rule } from './rules.ts';

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
