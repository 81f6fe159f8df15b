/** What a change of Kinwatch's own files means: noted between sessions, shown and contained under a family. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Containment } from './containment.ts';
import type { Change, Installation } from './installation.ts';
import type { Records } from './records.ts';
import type { Refusals } from './refusals.ts';
import type { Session, Sessions } from './sessions.ts';
import { installationChanged } from './wording.ts';

/** A change time may lie a clock tick before the call that made it. */
const coarseMs = 20;

export interface InstallationParts {
  readonly installation: Installation;
  /** Where the digests stand for the next desk. Only ever a note: whoever can write it can write the rest. */
  readonly file: string;
  readonly sessions: Sessions;
  readonly containment: Containment;
  readonly records: Records;
  readonly refusals: Refusals;
  /**
   * True for files that a person edits while sessions run: shown, not contained, because every start is asked with
   * the command it found there.
   */
  readonly isConfiguration: (path: string) => boolean;
  /** A family may have put its own token hash there: the desk's own is written again. */
  readonly restore: (path: string) => void;
}

export class InstallationWatch {
  constructor(private readonly parts: InstallationParts) {}

  /** At the desk's start: what the desk before this one knew. */
  async compareWithLast(): Promise<void> {
    const { installation, file, records } = this.parts;
    const digests = await installation.digests();
    const last = readLast(file);
    const text = `${JSON.stringify(digests)}\n`;
    if (last !== undefined) {
      const files = [...new Set([...Object.keys(last), ...Object.keys(digests)])]
        .map((path) => ({ path, was: last[path] ?? null, is: digests[path] ?? null }))
        .filter(({ was, is }) => was !== is);
      if (files.length > 0)
        records.note({ kind: 'installation changed', sessions: [], when: 'between desks', files });
    }
    this.remember(text);
  }

  /** At a session's start and end. */
  async look(): Promise<void> {
    const changes = await this.parts.installation.look();
    if (changes.length === 0) return;
    const { records, sessions, installation } = this.parts;
    // Asked after the reading: a session that ended meanwhile still counts.
    const under = sessions.list().filter((session) => changes.some((change) => ranAt(session, change)));
    records.note({
      kind: 'installation changed',
      sessions: under.map(({ id }) => id),
      when: 'while the desk ran',
      files: changes.map(({ path, was, is }) => ({ path, was, is })),
    });
    for (const session of under) this.meet(session, changes);
    this.remember(`${JSON.stringify(await installation.digests())}\n`);
  }

  private meet(session: Session, changes: readonly Change[]): void {
    const { refusals, containment, restore, isConfiguration } = this.parts;
    for (const change of changes) {
      if (!ranAt(session, change)) continue;
      restore(change.path);
      const text = installationChanged(change.path, session.view.server);
      refusals.report({ session: session.id, what: 'installation', rule: 'installation changed', text });
      if (!isConfiguration(change.path)) containment.request(session, { kind: 'desk' }, text);
    }
  }

  private remember(text: string): void {
    const temporary = `${this.parts.file}.${process.pid}.new`;
    try {
      writeFileSync(temporary, text, { mode: 0o600 });
      renameSync(temporary, this.parts.file);
    } catch {
      // A full disk is told with the next record; what is lost here is a comparison that only notes.
    }
  }
}

/** Whether its family ran when this file changed. */
function ranAt({ ranFrom, view }: Session, { changedMs }: Change): boolean {
  if (ranFrom === undefined || changedMs + coarseMs < Date.parse(ranFrom)) return false;
  return view.endedAt === undefined || changedMs - coarseMs <= Date.parse(view.endedAt);
}

function readLast(file: string): Record<string, string | null> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, string | null>) : undefined;
  } catch {
    return undefined; // the first desk here, or nothing to compare with
  }
}
