/**
 * The journal as plain JSON lines, one file for each start of the desk, in `<state>/records`. The sealed chain
 * takes its place behind the same interface, in a folder of its own; it never reads these files.
 */
import {
  constants,
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord, RecordBody } from './record.ts';
import { JournalError, type JournalWriter } from './writer.ts';

/** The calls that may fail; a test gives its own to make them fail. */
export interface FileCalls {
  write(fd: number, bytes: Buffer): number;
  truncate(fd: number, length: number): void;
  sync(fd: number, done: (error: Error | null) => void): void;
}

const nodeCalls: FileCalls = {
  write: (fd, bytes) => writeSync(fd, bytes),
  truncate: ftruncateSync,
  sync: fdatasync,
};

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: JournalError) => void;
}

/**
 * Creates the file of this start.
 * @param directory created with mode 0700 when missing.
 * @throws JournalError `open failed`.
 */
export function openLineJournal(directory: string, calls: FileCalls = nodeCalls): JournalWriter {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${process.pid}.jsonl`;
    const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW, O_RDONLY } = constants;
    const fd = openSync(join(directory, name), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    const directoryFd = openSync(directory, O_RDONLY);
    fsyncSync(directoryFd);
    closeSync(directoryFd);
    return new LineWriter(fd, calls);
  } catch (cause) {
    throw new JournalError(
      'open failed',
      `the journal in ${directory} cannot be opened: ${reasonOf(cause)}`,
      {
        cause,
      },
    );
  }
}

export class LineWriter implements JournalWriter {
  private sequence = 0;
  /** Length up to which the file holds whole lines. */
  private wholeBytes = 0;
  private isTorn = false;
  private lost = 0;
  private lostReason = '';
  private broken: JournalError | undefined;
  private waiting: Waiter[] = [];
  private isSyncing = false;

  /** @param fd open for appending, empty; closed by {@link close}. */
  constructor(
    private readonly fd: number,
    private readonly calls: FileCalls = nodeCalls,
  ) {}

  append(body: RecordBody): void {
    this.appendAll([body]);
  }

  appendAll(bodies: readonly RecordBody[]): void {
    if (this.broken !== undefined) throw this.broken;
    try {
      if (this.lost > 0) {
        this.writeLines([{ kind: 'gap', lost: this.lost, reason: this.lostReason }]);
        this.lost = 0;
      }
      this.writeLines(bodies);
    } catch (cause) {
      this.lost += bodies.length;
      this.lostReason = reasonOf(cause);
      throw new JournalError('write failed', `the journal cannot be written: ${reasonOf(cause)}`, { cause });
    }
  }

  appendDurable(body: RecordBody): Promise<void> {
    return new Promise((resolve, reject) => {
      this.append(body);
      this.waiting.push({ resolve, reject });
      this.sync();
    });
  }

  close(): void {
    if (this.broken?.code === 'closed') return;
    this.broken = new JournalError('closed', 'the journal is closed');
    for (const waiter of this.waiting.splice(0)) waiter.reject(this.broken);
    try {
      fsyncSync(this.fd);
    } catch {
      // Those who needed the disk's word have waited for it in appendDurable; nobody waits for this one.
    }
    closeSync(this.fd);
  }

  /** All of them or none. */
  private writeLines(bodies: readonly RecordBody[]): void {
    if (this.isTorn) this.cutTorn();
    const at = new Date().toISOString();
    const text = bodies
      .map((body, index) => {
        const record: JournalRecord = { sequence: this.sequence + 1 + index, at, body };
        return `${JSON.stringify(record)}\n`;
      })
      .join('');
    const bytes = Buffer.from(text);
    let written = 0;
    try {
      while (written < bytes.length) written += this.calls.write(this.fd, bytes.subarray(written));
    } catch (error) {
      this.isTorn = written > 0;
      if (this.isTorn) this.tryCutTorn();
      throw error;
    }
    this.sequence += bodies.length;
    this.wholeBytes += bytes.length;
  }

  private tryCutTorn(): void {
    try {
      this.cutTorn();
    } catch {
      // The write's own error is the one to tell; the next append cuts again before it writes.
    }
  }

  private cutTorn(): void {
    this.calls.truncate(this.fd, this.wholeBytes);
    this.isTorn = false;
  }

  private sync(): void {
    if (this.isSyncing || this.waiting.length === 0) return;
    this.isSyncing = true;
    // Taken before the sync starts: a record appended meanwhile waits for the next one.
    const covered = this.waiting.splice(0);
    this.calls.sync(this.fd, (cause) => {
      this.isSyncing = false;
      if (cause === null) {
        for (const waiter of covered) waiter.resolve();
        this.sync();
        return;
      }
      // After a failed fsync the kernel may have dropped the pages and would report success next time
      // (fsync(2), Linux notes): nothing written through this descriptor can be vouched for any more.
      const error = new JournalError('sync failed', `the journal cannot be synced: ${reasonOf(cause)}`, {
        cause,
      });
      this.broken ??= error;
      for (const waiter of [...covered, ...this.waiting.splice(0)]) waiter.reject(error);
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
