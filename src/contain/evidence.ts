/**
 * What is kept of a family that is about to be ended, written while it stands still. Whatever does not fit into
 * the time is named as skipped: a stopped family must not wait for a slow disk.
 */
import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Argument } from '../core/facts.ts';
import { visibleText } from '../core/consequence/visible.ts';
import { redact } from '../core/redaction/redact.ts';
import { argumentText, quoted } from '../core/consequence/words.ts';
import type { Lsof } from './lsof.ts';

/** At most, of the time for evidence; the manifest behind it needs its own. */
const lsofMs = 400;
const manifestMs = 300;

/** A member as the supervisor found it, stopped. */
export interface EvidenceMember {
  readonly pid: number;
  readonly startedAt: string;
  readonly ppid: number;
  readonly state: string;
  readonly exe?: string | undefined;
  readonly argv: readonly Argument[];
  readonly cwd?: string | undefined;
}

export interface EvidenceInput {
  /** `<state>/evidence/<session>`; the folder of this writing is made inside. */
  readonly directory: string;
  readonly session: string;
  readonly server: string;
  readonly client: string;
  readonly cause: string;
  readonly members: readonly EvidenceMember[];
  /** Everything this desk knows of the session, ended processes included. */
  readonly view: unknown;
  /** The machine's process table; its failure is a gap. */
  readonly processTable: () => Promise<readonly object[]>;
  /** What every member has open. */
  readonly openFiles: () => object;
  /** Undefined: lsof is not installed, and not missed. Its failure is a gap. */
  readonly lsof: Lsof | undefined;
  readonly budgetMs: number;
}

export interface EvidenceResult {
  /** Null when nothing at all could be written. */
  readonly folder: string | null;
  /** `sha256:<hex>` of `manifest.json`; null when it could not be written. */
  readonly manifest: string | null;
  /** What was skipped, and why. */
  readonly gaps: readonly string[];
  readonly evidenceMs: number;
}

/** Never throws: an end does not depend on its evidence. */
export async function writeEvidence(input: EvidenceInput): Promise<EvidenceResult> {
  const started = performance.now();
  const until = started + input.budgetMs;
  const takenAt = new Date().toISOString();
  const folder = join(input.directory, takenAt.replaceAll(':', '-'));
  const gaps: string[] = [];
  const digests: { file: string; sizeBytes: number; sha256: string }[] = [];

  const step = async (
    file: string,
    text: () => Promise<string> | string,
    stepUntil = until,
  ): Promise<string | undefined> => {
    const written = await within(stepUntil, async () => {
      const content = Buffer.from(await text());
      await writeSynced(join(folder, file), content);
      const sha256 = createHash('sha256').update(content).digest('hex');
      digests.push({ file, sizeBytes: content.length, sha256 });
      return sha256;
    });
    if (written.kind === 'done') return written.value;
    gaps.push(`${file} was not written: ${written.reason}`);
    return undefined;
  };

  const made = await within(until, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  if (made.kind === 'skipped') {
    return {
      folder: null,
      manifest: null,
      gaps: [`no evidence was written: ${made.reason}`],
      evidenceMs: since(started),
    };
  }
  await step('tree.json', () =>
    json({ takenAt, cause: input.cause, members: input.members, session: input.view }),
  );
  await step('report.md', () => report(input, takenAt));
  await step('openFiles.json', () => json(input.openFiles()));
  await step('processes.json', async () => json(await input.processTable()));
  const pids = input.members.map(({ pid }) => pid);
  const { lsof } = input;
  if (lsof !== undefined && pids.length > 0) {
    const timeoutMs = Math.min(lsofMs, until - manifestMs - performance.now());
    const text = async (): Promise<string> => redact(await lsof(pids, timeoutMs));
    await step('lsof.txt', text, performance.now() + timeoutMs);
  }
  const files = [...digests];
  const manifest = await step('manifest.json', () =>
    json({ session: input.session, takenAt, files, skipped: gaps }),
  );
  return {
    folder,
    manifest: manifest === undefined ? null : `sha256:${manifest}`,
    gaps,
    evidenceMs: since(started),
  };
}

type Timed<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'skipped'; readonly reason: string };

/** Work that is late goes on unseen; its outcome is dropped. */
async function within<T>(until: number, work: () => Promise<T>): Promise<Timed<T>> {
  const leftMs = until - performance.now();
  if (leftMs <= 0) return { kind: 'skipped', reason: 'the time for evidence was used up' };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Timed<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'skipped', reason: 'it took too long' }), leftMs);
  });
  const done = work().then(
    (value): Timed<T> => ({ kind: 'done', value }),
    (error: unknown): Timed<T> => ({
      kind: 'skipped',
      reason: error instanceof Error ? error.message : String(error),
    }),
  );
  const first = await Promise.race([done, late]);
  clearTimeout(timer);
  return first;
}

async function writeSynced(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function since(started: number): number {
  return Math.round((performance.now() - started) * 10) / 10;
}

function report({ session, server, client, cause, members }: EvidenceInput, takenAt: string): string {
  const lines = members.map(
    (member) =>
      `    ${member.pid}  parent ${member.ppid}  ${member.state}  since ${member.startedAt}  ` +
      `${visibleText(member.exe ?? 'unreadable')}  in ${visibleText(member.cwd ?? 'unreadable')}\n` +
      `        ${visibleText(member.argv.map((argument) => quoted(argumentText(argument).text)).join(' '))}`,
  );
  return [
    `# Session ${session}: ${visibleText(server)}`,
    '',
    `Taken ${takenAt}, while every member was stopped. Cause: ${visibleText(cause)}.`,
    `Client: ${visibleText(client)}.`,
    '',
    `${members.length} living members:`,
    '',
    ...lines,
    '',
    'tree.json holds the members and all that was seen of the session, processes.json every process of this',
    'machine at that moment, openFiles.json what the members had open (lsof.txt the same in more detail where lsof is',
    'installed), manifest.json the SHA-256 of each file and what was skipped.',
    '',
  ].join('\n');
}
