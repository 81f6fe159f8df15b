/**
 * `<state>/families.json`: every living family's members and supervisor, for the next desk, should this one be
 * killed (DESIGN §6). Written beside its place and renamed, never synced: it only matters while this boot lasts.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { startFacts, startTicks, time } from '../protocol/facts.ts';
import { reasonOf } from './deskError.ts';
import { maskDeep } from './mask.ts';
import type { Session } from './sessions.ts';

/**
 * Between two looks at what changed. A member is written at the second look that sees it: of programs that live a
 * millisecond none costs a write. A birth of the last two looks is missing when desk and supervisor are killed
 * together.
 */
const lookMs = 25;
/** Writing takes at most this share of the time: ext4 begins to write back what a rename replaces. */
const writeShare = 0.05;
const mostLookMs = 250;

const processKey = z.strictObject({ pid: z.int().positive(), startTicks });

const recordedFamily = z.strictObject({
  session: z.string().regex(/^[0-9a-f]{10}$/u),
  server: z.string(),
  bootId: z.string(),
  startedAt: time,
  supervisor: processKey,
  members: z.array(processKey),
  /** Masked, as in the journal. */
  facts: startFacts,
});
export type RecordedFamily = z.infer<typeof recordedFamily>;

const familyFile = z.strictObject({ families: z.array(recordedFamily) });

/** @param session one whose supervisor was seen; what it runs may have ended. */
function recordFamily(session: Session, bootId: string): RecordedFamily | undefined {
  const { id, view, facts, supervisorKey, members } = session;
  if (view.state === 'ended' || supervisorKey === undefined) return undefined;
  if (view.state === 'asking' && members.size === 0) return undefined; // nothing was started
  return {
    session: id,
    server: view.server,
    bootId,
    startedAt: view.startedAt,
    supervisor: keyOf(supervisorKey),
    members: [...members.values()].map(keyOf),
    facts: maskDeep(facts),
  };
}

/** Living sessions, and what is still waited for; of a family that is just being taken up again, both. */
export function allFamilies(
  living: readonly Session[],
  waiting: readonly RecordedFamily[],
  bootId: string,
): RecordedFamily[] {
  const families = new Map(waiting.map((family) => [family.session, family]));
  for (const session of living) {
    const family = recordFamily(session, bootId);
    if (family === undefined) continue;
    const earlier = families.get(family.session)?.members ?? [];
    families.set(family.session, { ...family, members: [...family.members, ...earlier] });
  }
  return [...families.values()];
}

function keyOf({ pid, startTicks: ticks }: { pid: number; startTicks: number }): z.infer<typeof processKey> {
  return { pid, startTicks: ticks };
}

/** What an earlier desk left. `fault`: something is there and cannot be used. */
export function readFamilies(path: string): {
  readonly families: readonly RecordedFamily[];
  readonly fault?: string;
} {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { families: [] };
    return { families: [], fault: reasonOf(error) };
  }
  try {
    return { families: familyFile.parse(JSON.parse(text)).families };
  } catch {
    return { families: [], fault: 'it holds no list of families' }; // the parser's words would repeat its text
  }
}

export class FamilyFile {
  private timer: NodeJS.Timeout | undefined;
  private written = '';
  private lastWriteMs = 0;
  /** Members that the last look saw. The first look takes everybody over: an earlier desk may have written them. */
  private seen: ReadonlySet<string> | undefined;

  /** @param failed told each time it cannot be written; the next change tries again. */
  constructor(
    private readonly path: string,
    private readonly families: () => readonly RecordedFamily[],
    private readonly failed: (reason: string) => void,
  ) {}

  /** Never writes within this call: whoever waits for a release does not wait for this file. */
  changed(): void {
    const waitMs = Math.min(mostLookMs, Math.max(lookMs, this.lastWriteMs / writeShare));
    this.timer ??= setTimeout(() => this.look(), waitMs);
  }

  /** Writes what stands, over whatever somebody else may have put there. */
  close(): void {
    clearTimeout(this.timer);
    this.written = '';
    this.write(this.families());
  }

  private look(): void {
    this.timer = undefined;
    const families = this.families();
    const members = new Set(families.flatMap((family) => family.members.map(nameOf)));
    const before = this.seen;
    this.seen = members;
    if (before === undefined) {
      this.write(families);
      return;
    }
    if ([...members].some((member) => !before.has(member))) this.changed();
    this.write(
      families.map((family) => ({
        ...family,
        members: family.members.filter((member) => before.has(nameOf(member))),
      })),
    );
  }

  private write(families: readonly RecordedFamily[]): void {
    const text = `${JSON.stringify({ families })}\n`;
    if (text === this.written) return;
    const temporary = `${this.path}.${process.pid}.new`;
    const started = performance.now();
    try {
      writeFileSync(temporary, text, { mode: 0o600 });
      renameSync(temporary, this.path);
      this.written = text;
    } catch (error) {
      this.failed(reasonOf(error));
    }
    this.lastWriteMs = performance.now() - started;
  }
}

function nameOf({ pid, startTicks: ticks }: z.infer<typeof processKey>): string {
  return `${pid}:${ticks}`;
}
