/**
 * The reviewer's token. The desk keeps its SHA-256 in a file of the state directory and an enrolment record in
 * the journal; a new reviewer is enrolled only where there is neither.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileWhole } from './runtimeDirectory.ts';

const tokenBytes = 32;

export type TokenVerdict =
  | { readonly kind: 'known' }
  /** Nobody is enrolled: the caller writes the record and then calls {@link Enrolment.enrol}. */
  | { readonly kind: 'fresh'; readonly hash: Buffer }
  | { readonly kind: 'refused'; readonly text: string };

export class Enrolment {
  private hash: Buffer | undefined;
  readonly file: string;

  /**
   * @param hasRecord whether the journal holds an enrolment; asked only while no hash is known.
   * @throws the system's error when a hash file exists and cannot be read.
   */
  constructor(
    private readonly state: string,
    private readonly hasRecord: () => boolean,
  ) {
    this.file = join(state, 'reviewer');
    this.hash = readHash(this.file);
  }

  judge(token: string | undefined): TokenVerdict {
    const bytes = Buffer.from(token ?? '', 'base64url');
    if (bytes.length !== tokenBytes || bytes.toString('base64url') !== token) {
      return refused('a reviewer sends a token of 32 random bytes as base64url');
    }
    const hash = createHash('sha256').update(bytes).digest();
    if (this.hash !== undefined) {
      return timingSafeEqual(hash, this.hash)
        ? { kind: 'known' }
        : refused(
            `another reviewer is enrolled here; use its token, or remove ${this.state} by hand and start anew`,
          );
    }
    if (this.hasRecord()) {
      return refused(
        `a reviewer was enrolled here and its token hash is gone; remove ${this.state} by hand to start anew`,
      );
    }
    return { kind: 'fresh', hash };
  }

  /** Reserves the enrolment, so that a second newcomer is compared with the first while its record is written. */
  reserve(hash: Buffer): void {
    this.hash = hash;
  }

  /** After its record could not be written: nobody is enrolled. */
  release(): void {
    this.hash = undefined;
  }

  /** @throws the system's error when the file cannot be written. */
  enrol(hash: Buffer): void {
    this.hash = hash;
    this.restore();
  }

  /**
   * Writes the hash that is in force over what somebody else put there; nothing while nobody is enrolled.
   * @throws the system's error when the file cannot be written.
   */
  restore(): void {
    if (this.hash !== undefined) writeFileWhole(this.file, `sha256:${this.hash.toString('hex')}\n`);
  }
}

function readHash(file: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const match = /^sha256:([0-9a-f]{64})\n$/u.exec(text);
  // A hash that is no hash equals no token: everyone is refused, nobody is enrolled over it.
  return Buffer.from(match?.[1] ?? '0'.repeat(64), 'hex');
}

function refused(text: string): TokenVerdict {
  return { kind: 'refused', text };
}
