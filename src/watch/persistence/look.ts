/** One look at every place of a session: what lies there now. Bounded in files and time; never changes anything. */
import { type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type CommandPlace, readCommandPlace } from './commands.ts';
import { type Entry, entryOf, linkedFolder } from './entry.ts';
import type { Place } from './places.ts';

/** Entries of one place at most, so that a flooded one hides no other. */
const mostInPlace = 2000;
const mostEntries = 10_000;

export interface Look {
  readonly at: string;
  readonly durationMs: number;
  /** By path, bytes as latin1. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Places that were not looked at in full, by path, and why: what they lack says nothing. */
  readonly partial: ReadonlyMap<string, string>;
}

export interface LookOptions {
  readonly budgetMs: number;
  readonly commands: readonly CommandPlace[];
  /** Files that did not change since need not be read again. */
  readonly before?: Look | undefined;
}

/**
 * One file at a time: a file system that does not answer holds up one thread of Node's pool, not all of them.
 *
 * @returns `rest` resolves once nothing of it is under way any more; later than `look` when the time was used up.
 */
export function lookAt(
  places: readonly Place[],
  options: LookOptions,
): { readonly look: Promise<Look>; readonly rest: Promise<void> } {
  const walk = new Walk(places, options);
  const rest = walk.run();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, options.budgetMs);
  });
  const look = Promise.race([rest, late]).then(() => {
    clearTimeout(timer);
    return walk.end();
  });
  return { look, rest };
}

class Walk {
  private readonly entries = new Map<string, Entry>();
  private readonly partial = new Map<string, string>();
  private readonly at = new Date().toISOString();
  private readonly started = performance.now();
  private readonly todo: Set<string>;
  /** Of each folder on the way to a place. */
  private readonly names = new Map<string, ReadonlySet<string> | 'unknown'>();
  private isOver = false;

  constructor(
    private readonly places: readonly Place[],
    private readonly options: LookOptions,
  ) {
    this.todo = new Set([
      ...options.commands.map(({ place }) => place.path),
      ...places.map(({ path }) => path),
    ]);
  }

  async run(): Promise<void> {
    for (const { place, read } of this.options.commands) {
      if (this.isOver) return;
      const outcome = await readCommandPlace(read);
      if (this.isOver) return;
      if (outcome.kind === 'failed') this.partial.set(place.path, outcome.reason);
      else for (const [name, entry] of outcome.entries(place)) this.entries.set(name, entry);
      this.todo.delete(place.path);
    }
    for (const [index, place] of this.places.entries()) {
      if (this.isOver) return;
      await this.place(place);
      // Several kinds of files of one folder are rows of their own.
      if (this.places[index + 1]?.path !== place.path) this.todo.delete(place.path);
    }
  }

  end(): Look {
    this.isOver = true;
    for (const path of this.todo) this.partial.set(path, 'the time for looking was used up');
    return {
      at: this.at,
      durationMs: performance.now() - this.started,
      entries: this.entries,
      partial: this.partial,
    };
  }

  private async place(place: Place): Promise<void> {
    if (!(await this.mayExist(place.path))) return;
    const from = this.entries.size;
    for (const path of await this.expand(place)) {
      await this.visit(path, place, place.depth + 1, from);
    }
  }

  /**
   * Most places are not there on any one machine. What a folder holds is asked once instead of each name in it: an
   * answer that says no costs more than the list.
   */
  private async mayExist(path: string): Promise<boolean> {
    const parent = dirname(path);
    const name = basename(path);
    if (parent === path) return true;
    if (!(await this.mayExist(parent))) return false;
    if (path.includes('/*')) return true;
    let names = this.names.get(parent);
    if (names === undefined) {
      names = await readdir(parent).then(
        (found) => new Set(found),
        // Not a folder, or one whose names are secret and whose files are not.
        (error: NodeJS.ErrnoException) => (error.code === 'ENOTDIR' ? new Set<string>() : 'unknown'),
      );
      this.names.set(parent, names);
    }
    return names === 'unknown' || names.has(name);
  }

  /** A `*` in it stands for each folder of its parent. */
  private async expand(place: Place): Promise<Buffer[]> {
    const star = place.path.indexOf('/*/');
    if (star === -1) return [Buffer.from(place.path)];
    const parent = Buffer.from(place.path.slice(0, star));
    const names = (await this.list(parent, place)).filter((each) => each.isDirectory());
    return names.map(({ name }) =>
      Buffer.concat([below(parent, name), Buffer.from(place.path.slice(star + 2))]),
    );
  }

  /** @param depth folders that may still be gone into, this one included. */
  private async visit(path: Buffer, place: Place, depth: number, from: number): Promise<void> {
    if (this.isOver) return;
    const key = path.toString('latin1');
    if (this.entries.has(key)) return;
    if (this.entries.size - from >= mostInPlace || this.entries.size >= mostEntries) {
      this.partial.set(place.path, `it holds more than ${Math.min(mostInPlace, this.entries.size)} files`);
      return;
    }
    let entry: Entry;
    try {
      entry = await entryOf(path, place, this.options.before?.entries.get(key));
    } catch (error) {
      this.missed(error, place);
      return;
    }
    if (this.isOver) return;
    const isPlace = depth === place.depth + 1;
    // A place that is kept elsewhere and linked is gone into; other links are not.
    const isLinkedPlace = isPlace && entry.behind === linkedFolder;
    if (entry.kind !== 'folder' || depth === 0) this.entries.set(key, entry);
    if ((entry.kind !== 'folder' && !isLinkedPlace) || depth === 0) return;
    for (const each of await this.list(path, place)) {
      const isWanted = each.isDirectory()
        ? place.only === undefined || depth > 1
        : place.only?.test(each.name.toString('utf8')) !== false;
      if (isWanted) await this.visit(below(path, each.name), place, depth - 1, from);
    }
  }

  private async list(path: Buffer, place: Place): Promise<Dirent<Buffer>[]> {
    try {
      return await readdir(path, { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      this.missed(error, place);
      return [];
    }
  }

  /** What is not there is an answer; what may not be looked at is a gap. */
  private missed(error: unknown, place: Place): void {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return;
    this.partial.set(place.path, code ?? String(error));
  }
}

function below(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}
