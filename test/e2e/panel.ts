/** The Kinwatch panel as a person uses it. */
import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import type { EditorDriver } from './driver.ts';
import { untilDone } from './workbench.ts';

export type Answer = 'deny' | 'once' | 'session' | 'contain';

/** What a card's buttons did from the moment they were there. */
export interface Appearance {
  /** The first state a person could see. */
  readonly wasDim: boolean;
  /** From the first look until a press would count. */
  readonly dimMs: number;
  /** What a press in that first moment was answered with: the question must still wait. */
  readonly stillWaits: boolean;
}

export class PanelPage {
  private constructor(
    private readonly editor: EditorDriver,
    readonly frame: FrameLocator,
  ) {}

  static async open(editor: EditorDriver): Promise<PanelPage> {
    return new PanelPage(editor, await editor.panelFrame());
  }

  get body(): Locator {
    return this.frame.locator('body');
  }

  text(): Promise<string> {
    return this.body.innerText();
  }

  /** The card that waits and whose headline contains the text. */
  card(headline: string | RegExp): Locator {
    return this.frame.locator('kw-card').filter({
      has: this.frame.locator('article:not(.is-done) .headline').filter({ hasText: headline }),
    });
  }

  /** The notification of a card must say the card's own sentence. */
  async sameInNotification(text: RegExp): Promise<void> {
    const headline = await this.headline(text);
    const toast = await this.editor.toast(text);
    assert.equal(plain(await toast.locator('.notification-list-item-message').innerText()), headline);
  }

  /** Waits for a card and gives its headline. */
  async headline(text: string | RegExp): Promise<string> {
    return plain(await this.card(text).locator('.headline').innerText());
  }

  /** Opens a card that is folded, waits until its buttons count and presses one. */
  async answer(headline: string | RegExp, choice: Answer): Promise<void> {
    const card = this.card(headline);
    await card.waitFor();
    const whole = await this.headline(headline);
    const sent = this.frame
      .locator('kw-card')
      .filter({ hasText: whole })
      .locator('.answered, .deadline:has-text("Sent")');
    const button = card.locator(`[data-choice=${choice}][aria-disabled=false]`);
    await untilDone(this.editor.page, `the answer "${choice}" to: ${whole}`, async () => {
      // A press made in the moment that the card moves does not count: it is made again.
      if ((await sent.count()) > 0) return;
      const fold = card.locator('.fold');
      if (await fold.isVisible()) await fold.click({ timeout: 5_000 });
      await button.click({ timeout: 5_000 });
      await sent.first().waitFor({ timeout: 2_000 });
    });
  }

  /** Watches from inside the page, before the card is there: a busy machine may look too late otherwise. */
  appearance(): Promise<Appearance> {
    const seen = this.body.evaluate(
      (body) =>
        new Promise<{ wasDim: boolean; dimMs: number; stillWaits: boolean }>((done) => {
          let first: { at: number; wasDim: boolean } | undefined;
          const look = (): void => {
            const button = body.querySelector<HTMLElement>('article:not(.is-done) [data-choice=once]');
            if (button === null) return;
            const isDim = button.getAttribute('aria-disabled') === 'true';
            if (first === undefined) {
              first = { at: performance.now(), wasDim: isDim };
              button.click();
            }
            if (isDim) return;
            observer.disconnect();
            const stillWaits = body.querySelector('.deadline')?.textContent?.includes('Sent') === false;
            done({ wasDim: first.wasDim, dimMs: performance.now() - first.at, stillWaits });
          };
          const observer = new MutationObserver(look);
          observer.observe(body, { subtree: true, childList: true, attributes: true });
        }),
    );
    // Awaited later; when the step fails before, its own failure is the one to read.
    seen.catch(() => undefined);
    return seen;
  }

  /** A row of the tree that contains the text, whatever white space stands between its parts. */
  row(text: string): Locator {
    return this.frame.locator('[role=treeitem]').filter({ hasText: text });
  }

  certificate(text: string | RegExp): Locator {
    return this.frame.locator('article.cert').filter({ hasText: text });
  }
}

/** Text of a notification or a headline without what only shapes it on screen. */
export function plain(text: string): string {
  return text
    .replaceAll(/[\u2066-\u2069\u200B]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
