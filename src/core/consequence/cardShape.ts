/**
 * What a card is: one sentence of consequence and its rows (DESIGN §4). The same shape as in
 * `protocol/desk.ts`, which checks it; `core/` imports nothing.
 *
 * Invariant: a row's value holds the whole fact as plain text, with tokens for hidden characters; nothing is
 * cut here. Only a headline is shortened, and then `headlineComplete` is false.
 */
import type { Argument, ClientFacts } from '../facts.ts';
import type { Part, Sentence } from './words.ts';

export type CardDetail =
  | { kind: 'argv'; argv: Argument[] }
  | { kind: 'path'; path: string; notes: string[] }
  | { kind: 'claim'; notes: string[]; claim: string }
  | { kind: 'warning'; warnings: string[] }
  | { kind: 'script'; text: string; origin: string }
  | { kind: 'request'; label: string; arguments: string };

export interface CardRow {
  label: string;
  value: string;
  detail?: CardDetail;
}

export interface Card {
  transition: 'first start' | 'new executable' | 'local to network' | 'work handed outside';
  headline: string;
  headlineParts: Part[];
  /** True when the headline alone holds the whole consequence: a notification may then offer Allow once. */
  headlineComplete: boolean;
  rows: CardRow[];
}

/** What the desk knows besides the facts of the exec or the connection itself. */
export interface ExecContext {
  readonly server: string;
  readonly session: string;
  readonly client: ClientFacts;
  /** Folders open in the reviewers' editors. Empty: nothing is said about being inside a workspace. */
  readonly workspaceFolders: readonly string[];
  /** The user's home, to write `~` for it. Absent: paths stay whole. */
  readonly home?: string;
}

/** Puts a sentence and its rows together. */
export function card(
  transition: Card['transition'],
  sentence: Sentence,
  complete: boolean,
  rows: CardRow[],
): Card {
  return {
    transition,
    headline: sentence.toString(),
    headlineParts: sentence.parts,
    headlineComplete: complete && sentence.whole,
    rows,
  };
}
