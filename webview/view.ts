/** What the panel keeps of its own: what is expanded, open and focused, and what it has sent. */
import type { Choice } from '../src/protocol/desk.ts';

export interface SavedView {
  readonly flipped: readonly string[];
  readonly announced: readonly string[];
  readonly sent: readonly (readonly [id: string, choice: Choice])[];
  readonly open?: string | undefined;
  readonly current?: string | undefined;
  readonly drawer?: string | undefined;
}

/** More than anybody opens by hand; the oldest are forgotten first. */
const mostFlipped = 500;

export class View {
  /** Id of the open card. */
  open: string | undefined;
  /** Key of the tree row that takes the tab stop. */
  current: string | undefined;
  /** Key of the row whose details are shown. */
  drawer: string | undefined;
  private readonly flipped: Set<string>;
  private readonly announced: Set<string>;
  private readonly sentChoices: Map<string, Choice>;

  constructor(
    saved: Partial<SavedView>,
    private readonly changed: (saved: SavedView) => void,
  ) {
    this.open = saved.open;
    this.current = saved.current;
    this.drawer = saved.drawer;
    this.flipped = new Set(saved.flipped);
    this.announced = new Set(saved.announced);
    this.sentChoices = new Map(saved.sent);
  }

  isExpanded(key: string, byDefault = false): boolean {
    return this.flipped.has(key) ? !byDefault : byDefault;
  }

  toggle(key: string): void {
    if (!this.flipped.delete(key)) this.flipped.add(key);
    const [oldest] = this.flipped;
    if (this.flipped.size > mostFlipped && oldest !== undefined) this.flipped.delete(oldest);
    this.save();
  }

  /** The choice sent for a question; one answer per card. Absent while none was. */
  sent(id: string): Choice | undefined {
    return this.sentChoices.get(id);
  }

  send(id: string, choice: Choice): void {
    this.sentChoices.set(id, choice);
    this.save();
  }

  /** Which of these were never read out; marks them as read. Forgets what is no longer there. */
  announce(waiting: readonly string[], present: readonly string[]): string[] {
    const fresh = waiting.filter((id) => !this.announced.has(id));
    for (const id of fresh) this.announced.add(id);
    const kept = new Set(present);
    for (const id of this.announced) if (!kept.has(id)) this.announced.delete(id);
    for (const id of this.sentChoices.keys()) if (!kept.has(id)) this.sentChoices.delete(id);
    return fresh;
  }

  /** Call after changing `open`, `current` or `drawer`. */
  save(): void {
    this.changed({
      flipped: [...this.flipped],
      announced: [...this.announced],
      sent: [...this.sentChoices],
      open: this.open,
      current: this.current,
      drawer: this.drawer,
    });
  }
}
