/**
 * The families as a tree: flat `treeitem`s, one tab stop. Arrows, Home and End move; Enter opens the details, or
 * the card of a held process; Delete asks to stop the process.
 */
import { html, LitElement, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { PanelQuestion } from '../src/protocol/panel.ts';
import type { Shell } from './shell.ts';
import { treeRow } from './treeRow.ts';
import { treeRows, type ProcessRow, type TreeRow } from './treeRows.ts';

const secondMs = 1000;

export class TreeElement extends LitElement {
  static override readonly properties = { shell: { attribute: false } };
  declare shell: Shell;

  private rows: TreeRow[] = [];
  private ageTimer: ReturnType<typeof setTimeout> | undefined;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.ageTimer);
  }

  focusRow(key: string): void {
    this.row(key)?.focus();
  }

  protected override render(): TemplateResult {
    const { state, view, clock } = this.shell;
    this.rows = treeRows(state.sessions, (key, byDefault) => view.isExpanded(`tree/${key}`, byDefault));
    const current = this.rows.some((row) => row.key === view.current) ? view.current : this.rows[0]?.key;
    const now = clock.now();
    return html`<ul
      class="tree"
      role="tree"
      aria-label="Execution families"
      @keydown=${this.onKey}
      @click=${this.onClick}
      @focusin=${this.onFocus}
    >
      ${repeat(
        this.rows,
        (row) => row.key,
        (row) =>
          treeRow(row, {
            now,
            isStale: state.desk.kind !== 'connected',
            isCurrent: row.key === current,
            isSelected: row.key === view.drawer,
            question: row.kind === 'process' ? questionOf(row, state.questions) : undefined,
            contain: (session) => this.shell.post({ kind: 'contain', session }),
            goTo: (question) => this.shell.goTo(question, true),
          }),
      )}
    </ul>`;
  }

  /** Ages are no countdown: they are drawn again when the youngest of them changes. */
  protected override updated(): void {
    clearTimeout(this.ageTimer);
    const now = this.shell.clock.now();
    const starts = this.rows.flatMap((row) =>
      row.kind === 'process' && row.process.state !== 'ended' ? [Date.parse(row.process.startedAt)] : [],
    );
    if (starts.length === 0) return;
    const youngestMs = now - Math.max(...starts);
    const waitMs = youngestMs < 60 * secondMs ? secondMs : 20 * secondMs;
    this.ageTimer = setTimeout(() => this.requestUpdate(), waitMs);
  }

  private row(key: string): HTMLElement | undefined {
    return [...this.querySelectorAll<HTMLElement>('[role=treeitem]')].find(
      (each) => each.dataset['key'] === key,
    );
  }

  private readonly onFocus = (event: FocusEvent): void => {
    const row = this.rowOf(event);
    if (row === undefined || row.key === this.shell.view.current) return;
    this.shell.view.current = row.key;
    this.shell.view.save();
    this.requestUpdate();
  };

  private readonly onClick = (event: MouseEvent): void => {
    const row = this.rowOf(event);
    if (row === undefined) return;
    const isTwist = event.target instanceof Element && event.target.closest('.tw') !== null;
    if (row.expanded !== null && (isTwist || row.kind === 'group')) this.toggle(row);
    else this.details(row);
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    const row = this.rowOf(event);
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = this.rows.indexOf(row);
    if (!this.act(event.key, row, index)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** True when the key meant something here. */
  private act(key: string, row: TreeRow, index: number): boolean {
    switch (key) {
      case 'ArrowDown':
        return this.move(index + 1);
      case 'ArrowUp':
        return this.move(index - 1);
      case 'Home':
        return this.move(0);
      case 'End':
        return this.move(this.rows.length - 1);
      case 'ArrowRight':
        if (row.expanded === false) this.toggle(row);
        else if (row.expanded === true) this.move(index + 1);
        return true;
      case 'ArrowLeft':
        if (row.expanded === true) this.toggle(row);
        else this.move(this.rows.findLastIndex((each, at) => at < index && each.level < row.level));
        return true;
      case 'Enter':
        this.enter(row);
        return true;
      case ' ':
        if (row.kind === 'group') this.toggle(row);
        else this.details(row);
        return true;
      case 'Delete':
        if (row.kind === 'process' && row.process.state !== 'ended') {
          const { pid, startedAt } = row.process;
          this.shell.post({ kind: 'stopProcess', session: row.session.session, pid, startedAt });
        }
        return true;
      case 'Escape':
        if (this.shell.view.drawer === undefined) return false;
        this.shell.view.drawer = undefined;
        this.shell.view.save();
        this.shell.redraw();
        return true;
      default:
        return false;
    }
  }

  private enter(row: TreeRow): void {
    const question =
      row.kind === 'process' && row.process.state === 'held'
        ? questionOf(row, this.shell.state.questions)
        : undefined;
    if (question !== undefined) this.shell.goTo(question, true);
    else if (row.kind === 'group') this.toggle(row);
    else this.details(row);
  }

  private move(to: number): boolean {
    const row = this.rows[to];
    if (row !== undefined) this.focusRow(row.key);
    return true;
  }

  private toggle(row: TreeRow): void {
    this.shell.view.toggle(`tree/${row.key}`);
    this.requestUpdate();
  }

  private details(row: TreeRow): void {
    if (row.kind === 'group') return;
    this.shell.view.current = row.key;
    this.shell.view.drawer = row.key;
    this.shell.view.save();
    this.shell.redraw();
  }

  private rowOf(event: Event): TreeRow | undefined {
    const item =
      event.target instanceof Element ? event.target.closest<HTMLElement>('[role=treeitem]') : null;
    return this.rows.find((row) => row.key === item?.dataset['key']);
  }
}

/** The waiting question of a held process. */
function questionOf(
  { session, process }: ProcessRow,
  questions: readonly PanelQuestion[],
): string | undefined {
  return questions.find(
    ({ question, ending }) =>
      ending === undefined &&
      question.session === session.session &&
      question.process?.pid === process.pid &&
      question.process.startedAt === process.startedAt,
  )?.question.id;
}
