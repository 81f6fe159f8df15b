/** The desk's hand on the journal: what happens when a record cannot be written is decided here, once. */
import type { RecordBody } from '../journal/record.ts';
import type { JournalWriter } from '../journal/writer.ts';
import { reasonOf } from './deskError.ts';
import { maskDeep } from './mask.ts';

export class Records {
  private isFailing = false;
  /** What only happened in this turn of the event loop. */
  private gathered: RecordBody[] = [];

  /** @param failed called when writing starts to fail, not for each record. */
  constructor(
    private readonly journal: JournalWriter,
    private readonly failed: (reason: string) => void,
  ) {}

  /** In order, not waited for; false when it could not be written. A record that is lost leaves a `gap` behind it. */
  note(body: RecordBody): boolean {
    this.gathered.push(maskDeep(body));
    return this.flush();
  }

  /**
   * As {@link note}, for what happened and releases nothing: one write for all that a supervisor said at once, when
   * this turn of the event loop is over.
   */
  noteWithNext(body: RecordBody): void {
    if (this.gathered.push(maskDeep(body)) === 1) queueMicrotask(() => this.flush());
  }

  private flush(): boolean {
    if (this.gathered.length === 0) return true;
    const bodies = this.gathered;
    this.gathered = [];
    try {
      this.journal.appendAll(bodies);
      this.isFailing = false;
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  /** Invariant: what a decision releases goes on only after this answered true. */
  async decide(body: RecordBody): Promise<boolean> {
    this.flush();
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
    this.flush();
    this.journal.close();
  }

  private fail(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    this.failed(reasonOf(error));
  }
}
