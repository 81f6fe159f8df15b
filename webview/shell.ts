/** What every part of the panel is given. */
import type { Choice } from '../src/protocol/desk.ts';
import type { FromPanel, PanelState } from '../src/protocol/panel.ts';
import type { Clock } from './clock.ts';
import type { View } from './view.ts';

export interface Shell {
  readonly state: PanelState;
  readonly clock: Clock;
  readonly view: View;
  post(message: FromPanel): void;
  /** Sends a person's answer, once per question. */
  answer(id: string, choice: Choice): void;
  /** Opens a question's card, scrolls to it and, when asked, focuses it (the card, never a button). */
  goTo(question: string, focus: boolean): void;
  /** Draws everything again, after the view changed. */
  redraw(): void;
}
