/** A refusal is written and shown, whoever was refused. */
import type { FromDesk } from '../protocol/desk.ts';
import type { Records } from './records.ts';
import type { Reviewers } from './reviewers.ts';

export type Refusal = Omit<Extract<FromDesk, { kind: 'refusal' }>, 'kind' | 'at'>;

export class Refusals {
  constructor(
    private readonly records: Records,
    private readonly reviewers: Reviewers,
  ) {}

  report(refusal: Refusal): void {
    this.records.note({ kind: 'refusal', ...refusal });
    this.reviewers.broadcast({ kind: 'refusal', ...refusal, at: new Date().toISOString() });
  }
}
