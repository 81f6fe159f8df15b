/** Which card is open. Pure. */
import type { PanelQuestion } from '../src/protocol/panel.ts';

/** In the order of arrival, which never changes. */
export function inOrder(questions: readonly PanelQuestion[]): PanelQuestion[] {
  return questions.toSorted((a, b) => compare(a.question.askedAt, b.question.askedAt));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The open card after a new state. A card that a person reads stays open, even answered, until another one
 * is opened or arrives; a waiting card is never closed by an arrival.
 */
export function openAfter(
  open: string | undefined,
  known: ReadonlySet<string>,
  questions: readonly PanelQuestion[],
): string | undefined {
  const current = questions.find((each) => each.question.id === open);
  if (current !== undefined && current.ending === undefined) return open;
  const waiting = questions.filter((each) => each.ending === undefined);
  const arrived = waiting.find((each) => !known.has(each.question.id));
  if (arrived !== undefined) return arrived.question.id;
  return current === undefined ? waiting[0]?.question.id : open;
}

/** The waiting question after this one, in order, from the beginning again at the end. */
export function nextWaiting(
  questions: readonly PanelQuestion[],
  after: string | undefined,
): string | undefined {
  const from = questions.findIndex((each) => each.question.id === after) + 1;
  const turned = [...questions.slice(from), ...questions.slice(0, from)];
  return turned.find((each) => each.ending === undefined && each.question.id !== after)?.question.id;
}
