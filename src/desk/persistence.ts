/**
 * What stays behind of a session: the places that run something later are looked at when it opens and when it has
 * ended, and what is different is named. Nothing is changed there. Who changed it is not known: every session that
 * ran meanwhile is named with it.
 */
import type { PersistenceChange } from '../core/consequence/stayedBehind.ts';
import { compareLooks } from '../watch/persistence/compare.ts';
import type { CommandPlace } from '../watch/persistence/commands.ts';
import { gitPlacesOf } from '../watch/persistence/git.ts';
import { type Look, lookAt } from '../watch/persistence/look.ts';
import { type Place, persistencePlacesOf } from '../watch/persistence/places.ts';
import { reasonOf } from './deskError.ts';
import type { Reviewers } from './reviewers.ts';
import type { Session, Sessions } from './sessions.ts';

/** Looks that may hang in a file system that does not answer; more would take the threads that write the record. */
const mostHanging = 2;

/** Counted in the coverage when the first look was not over as the family's first program started. */
const lateGap = 'start-up places first looked at after the launch';

export interface PersistenceParts {
  /** The passwd entry's; undefined when this user has none. */
  readonly home: string | undefined;
  readonly uid: number;
  readonly commands: readonly CommandPlace[];
  readonly firstLookDone: (session: string) => void;
  readonly firstLookMs: number;
  readonly lastLookMs: number;
  readonly reviewers: Pick<Reviewers, 'workspaceFolders'>;
  readonly sessions: Pick<Sessions, 'countGap'>;
}

export interface PersistenceResult {
  readonly changes: readonly PersistenceChange[];
  readonly gaps: readonly string[];
  /** Sessions that ran at any time while this one did, itself included. */
  readonly sessions: readonly string[];
}

interface Watched {
  readonly places: Promise<readonly Place[]>;
  readonly first: Promise<Look | undefined>;
  readonly alongside: Set<string>;
  /** Set when the first look came after something had run already. */
  since: string | undefined;
  isLooked: boolean;
  hasRun: boolean;
}

export class Persistence {
  private readonly watched = new Map<Session, Watched>();
  private queue: Promise<unknown> = Promise.resolve();
  private hanging = 0;

  constructor(private readonly parts: PersistenceParts) {}

  /**
   * The first look, beside whatever else happens: nothing waits for it.
   *
   * @param isRunning its family runs already: another desk took the first look.
   */
  begin(session: Session, isRunning: boolean): void {
    const { firstLookMs } = this.parts;
    for (const other of this.watched.keys()) if (other.view.state === 'ended') this.watched.delete(other);
    const places = this.placesOf(session);
    const first = places.then((known) => this.look(known, firstLookMs));
    const watched: Watched = {
      places,
      first,
      alongside: new Set([session.id]),
      since: undefined,
      isLooked: false,
      hasRun: false,
    };
    first.then(
      () => {
        watched.isLooked = true;
        this.parts.firstLookDone(session.id);
      },
      () => undefined, // told at the end, where it is waited for
    );
    this.watched.set(session, watched);
    if (isRunning) this.ran(session);
  }

  /** A program of it has started. */
  ran(session: Session): void {
    const watched = this.watched.get(session);
    if (watched === undefined || watched.hasRun) return;
    watched.hasRun = true;
    for (const [other, { alongside, hasRun }] of this.watched) {
      if (!hasRun || other === session) continue;
      alongside.add(session.id);
      watched.alongside.add(other.id);
    }
    if (watched.isLooked) return;
    watched.since = new Date().toISOString();
    this.parts.sessions.countGap(session, lateGap);
  }

  /** The last look, compared. Undefined when there was no first one. Never throws, and never takes long. */
  async end(session: Session): Promise<PersistenceResult | undefined> {
    const watched = this.watched.get(session);
    this.watched.delete(session);
    if (watched === undefined) return undefined;
    const sessions = [...watched.alongside];
    try {
      const ready = Promise.all([watched.places, watched.first]);
      const [places, first] = (await within(ready, this.parts.lastLookMs)) ?? [[], undefined];
      const last = first === undefined ? undefined : await this.look(places, this.parts.lastLookMs, first);
      if (first === undefined || last === undefined) {
        const text = 'start-up places were not compared: a file system of theirs does not answer';
        return { changes: [], gaps: [text], sessions };
      }
      const { changes, gaps } = compareLooks(first, last);
      const late =
        watched.since === undefined
          ? []
          : [`start-up places were first looked at after the server had started, at ${watched.since}`];
      return { changes, gaps: [...late, ...gaps], sessions };
    } catch (error) {
      return { changes: [], gaps: [`start-up places were not compared: ${reasonOf(error)}`], sessions };
    }
  }

  private async placesOf(session: Session): Promise<readonly Place[]> {
    const { home, uid, reviewers, firstLookMs } = this.parts;
    const workspaces = [...new Set([session.facts.cwd, ...reviewers.workspaceFolders()])];
    const git = (await within(gitPlacesOf(home, workspaces), firstLookMs)) ?? {
      configurations: [],
      hooks: [],
    };
    return persistencePlacesOf({ platform: process.platform, home, uid, workspaces, git });
  }

  /** One after the other. Undefined when too many hang. */
  private look(places: readonly Place[], budgetMs: number, before?: Look): Promise<Look | undefined> {
    const next = this.queue.then(async () => {
      if (this.hanging >= mostHanging) return undefined;
      const { look, rest } = lookAt(places, { budgetMs, commands: this.parts.commands, before });
      this.hanging += 1;
      rest.then(
        () => (this.hanging -= 1),
        () => (this.hanging -= 1),
      );
      return look;
    });
    this.queue = next.catch(() => undefined);
    return next;
  }
}

/** Undefined when it takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const first = await Promise.race([work, late]);
  clearTimeout(timer);
  return first;
}
