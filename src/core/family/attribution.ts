/** Which request caused a birth (DESIGN §2 *attribution*). */
import type { RequestRef } from '../facts.ts';

export interface OpenRequest {
  readonly number: number;
  readonly method: string;
  readonly tool?: string;
}

/**
 * @param parent the request of the process that gave birth, if it had one: inherited, also after its result.
 * @param open requests in flight at the birth, oldest first.
 * @returns undefined outside any request.
 */
export function attribute(
  parent: RequestRef | undefined,
  open: readonly OpenRequest[],
): RequestRef | undefined {
  if (parent !== undefined) return parent;
  const [first, second] = open;
  if (first === undefined) return undefined;
  return {
    number: first.number,
    method: first.method,
    ...(first.tool === undefined ? {} : { tool: first.tool }),
    attribution: second === undefined ? 'certain' : 'one-of',
  };
}
