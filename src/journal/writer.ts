/** The only way into the journal. The desk is its only caller. */
import type { RecordBody } from './record.ts';

export type JournalErrorCode = 'open failed' | 'write failed' | 'sync failed' | 'closed';

/** A record that is not in the journal. `cause` is the system's own error where there is one. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  constructor(
    readonly code: JournalErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface JournalWriter {
  /**
   * Hands the record to the kernel, behind all earlier ones, before it returns. After a power loss it may be
   * missing.
   * @throws JournalError when it could not be written whole; the next record then follows a `gap` record.
   */
  append(body: RecordBody): void;
  /** As {@link append} for each, in order, in one write. When it throws, none of them is in the journal. */
  appendAll(bodies: readonly RecordBody[]): void;
  /**
   * As {@link append}; resolves once the record is on the disk. Several waiting at once share one fsync.
   * Rejects with JournalError, also where `append` would throw.
   */
  appendDurable(body: RecordBody): Promise<void>;
  /** Later calls throw. Records already appended are synced. */
  close(): void;
}
