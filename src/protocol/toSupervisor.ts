/**
 * Desk → supervisor. Read by hand and not through zod, unlike every other wire: the supervisor's watch thread reads
 * nothing else, and loading zod there took about half as long as starting Node, in the way of every session's start.
 */
import { type Rule, rules } from './rules.ts';

export type ToSupervisor =
  | { readonly kind: 'welcome'; readonly protocol: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'opened'; readonly session: string }
  | {
      readonly kind: 'decision';
      readonly ref: string;
      readonly allow: boolean;
      /** `once` or `session` when allowed; the rule when denied. */
      readonly scope?: 'once' | 'session';
      readonly rule?: Rule;
      readonly text: string;
      /** True when the question stays open for the next launch (a start that was not answered in time). */
      readonly rejoin?: boolean;
    }
  | { readonly kind: 'contain'; readonly by: string }
  | { readonly kind: 'stopProcess'; readonly pid: number; readonly startedAt: string }
  | {
      readonly kind: 'evidence';
      readonly folder: string | null;
      readonly manifest: string | null;
      readonly gaps: readonly string[];
      readonly evidenceMs: number;
    };

type Of<K extends ToSupervisor['kind']> = Extract<ToSupervisor, { readonly kind: K }>;
type Check = (value: unknown) => boolean;
/** A check for every field of a kind, so that a field added to the type is missed here by the compiler. */
type Fields<M> = { readonly [F in Exclude<keyof M, 'kind'>]-?: undefined extends M[F] ? Optional : Check };
interface Optional {
  readonly optional: Check;
}

const text: Check = (value) => typeof value === 'string';
const textOrNull: Check = (value) => value === null || text(value);
const flag: Check = (value) => typeof value === 'boolean';
const number: Check = (value) => Number.isFinite(value);
const whole: Check = (value) => Number.isSafeInteger(value);
const among =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const kinds: { readonly [K in ToSupervisor['kind']]: Fields<Of<K>> } = {
  welcome: { protocol: whole },
  refused: { reason: text },
  opened: { session: text },
  decision: {
    ref: text,
    allow: flag,
    scope: { optional: among(['once', 'session']) },
    rule: { optional: among(rules) },
    text,
    rejoin: { optional: flag },
  },
  contain: { by: text },
  stopProcess: {
    pid: (value) => whole(value) && Number(value) > 0,
    startedAt: (value) => text(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u.test(String(value)),
  },
  evidence: {
    folder: textOrNull,
    manifest: textOrNull,
    gaps: (value) => Array.isArray(value) && value.every(text),
    evidenceMs: number,
  },
};

/** The message; undefined when it is none: another kind, a field that is missing, unknown or of the wrong type. */
export function readToSupervisor(value: unknown): ToSupervisor | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { kind, ...rest } = value as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) return undefined;
  const fields: Readonly<Record<string, Check | Optional>> = kinds[kind as ToSupervisor['kind']];
  const isKnown = Object.keys(rest).every((field) => Object.hasOwn(fields, field));
  const isRight = Object.entries(fields).every(([field, check]) =>
    typeof check === 'function'
      ? Object.hasOwn(rest, field) && check(rest[field])
      : !Object.hasOwn(rest, field) || check.optional(rest[field]),
  );
  return isKnown && isRight ? (value as ToSupervisor) : undefined;
}
