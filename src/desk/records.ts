/** The desk's hand on the journal: what happens when a record cannot be written is decided here, once. */
import type { RecordBody } from '../journal/record.ts';
import type { JournalWriter } from '../journal/writer.ts';
import { reasonOf } from './deskError.ts';
import { maskDeep } from './mask.ts';

export class Records {
  private isFailing = false;

  /** @param failed called when writing starts to fail, not for each record. */
  constructor(
    private readonly journal: JournalWriter,
    private readonly failed: (reason: string) => void,
  ) {}

  /** In order, not waited for; false when it could not be written. A record that is lost leaves a `gap` behind it. */
  note(body: RecordBody): boolean {
    try {
      this.journal.append(maskDeep(body));
      this.isFailing = false;
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  /** Invariant: what a decision releases goes on only after this answered true. */
  async decide(body: RecordBody): Promise<boolean> {
    try {
      await this.journal.appendDurable(maskDeep(body));
      this.isFailing = false;
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  close(): void {
    this.journal.close();
  }

  private fail(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    this.failed(reasonOf(error));
  }
}
