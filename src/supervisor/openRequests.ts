/** The client's requests in flight, as the watch thread knows them: for attribution and for cards. */
import { createHash } from 'node:crypto';
import type { RequestRef } from '../core/facts.ts';
import { attribute, type OpenRequest } from '../core/family/attribution.ts';

/** Arguments are as long as a frame may be; the desk's lines are shorter. */
const shownArgumentLength = 64 * 1024;

export class OpenRequests {
  private readonly open = new Map<number, OpenRequest & { readonly shownArguments: string }>();

  /** @returns the arguments as shown: what is left out is counted and digested. */
  add(request: OpenRequest, argumentsJson: string): string {
    const shownArguments = bounded(argumentsJson);
    this.open.set(request.number, { ...request, shownArguments });
    return shownArguments;
  }

  remove(number: number): void {
    this.open.delete(number);
  }

  numbers(): number[] {
    return [...this.open.keys()];
  }

  argumentsOf(number: number): string | undefined {
    return this.open.get(number)?.shownArguments;
  }

  /** The request of a birth. Only calls of tools start work: a `tools/list` beside one makes nothing doubtful. */
  attribute(parent: RequestRef | undefined): RequestRef | undefined {
    return attribute(
      parent,
      [...this.open.values()].filter(({ method }) => method === 'tools/call'),
    );
  }
}

function bounded(text: string): string {
  if (text.length <= shownArgumentLength) return text;
  const digest = createHash('sha256').update(text).digest('hex');
  return `${text.slice(0, shownArgumentLength)} [${text.length - shownArgumentLength} more characters; sha256 of the whole ${digest}]`;
}
