/** Cards: facts in, one sentence of consequence and its rows out. All wording of cards lives in this folder. */
export type { Card, CardDetail, CardRow, ExecContext } from './cardShape.ts';
export { connectionCard, connectionTransition } from './connectionCard.ts';
export { withinReach } from './environmentRows.ts';
export { execCard } from './execCard.ts';
export { startCard } from './startCard.ts';
export type { Part } from './words.ts';
