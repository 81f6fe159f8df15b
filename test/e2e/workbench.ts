import type { Locator, Page } from 'playwright-core';

/** The editor's own themes, and how its window's class names each once it is drawn. */
const THEMES = {
  'Light 2026': '2026-light',
  'Light Modern': 'light_modern',
  'Dark 2026': '2026-dark',
  'Dark Modern': 'dark_modern',
  'Light High Contrast': 'hc_light',
  'Dark High Contrast': 'hc_black',
} as const;
export type ThemeName = keyof typeof THEMES;

/** What a person does in the editor's own surfaces: palette, notifications, dialogs, sidebar. */
export interface Workbench {
  /** Waits until the workbench takes input. */
  ready(): Promise<void>;
  /** Runs a command from the palette by its full title, e.g. `Kinwatch: Contain Session…`. */
  runCommand(title: string): Promise<void>;
  /** The texts of the notifications that are on screen now. */
  notifications(): Promise<string[]>;
  /** Waits for a notification whose text matches. Its buttons: `toast.getByRole('button', { name })`. */
  toast(text: RegExp): Promise<Locator>;
  /** Chooses the row of the open quick pick that contains the text. */
  pickQuickItem(text: string | RegExp): Promise<void>;
  /** Waits for the quick pick with that placeholder, chooses the row of it that contains the text and gives its rows. */
  pickFrom(placeholder: RegExp, text: string | RegExp): Promise<string[]>;
  /** What `MCP: List Servers` shows, a row each. */
  mcpServers(): Promise<string[]>;
  /** Starts or stops an MCP server as a person would, through `MCP: List Servers`. Waits for nothing that follows. */
  chooseMcpAction(name: string, action: 'Start Server' | 'Stop Server'): Promise<void>;
  isThemeDrawn(name: ThemeName): Promise<boolean>;
  /** Chooses a colour theme and waits until it is drawn. */
  setTheme(name: ThemeName): Promise<void>;
  /** Drags the sidebar's edge until the sidebar is that wide (± 2 px; the editor keeps its own minimum of 170). */
  resizeSidebar(widthPx: number): Promise<void>;
}

export function openWorkbench(page: Page): Workbench {
  const input = page.locator('.quick-input-widget:visible input[type="text"]').first();
  const rows = page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
  const toasts = page.locator('.notifications-toasts .notification-toast');

  const ready = async (): Promise<void> => {
    await page.locator('.monaco-workbench .activitybar a.action-label').first().waitFor();
    await page.locator('.monaco-workbench .statusbar-item').first().waitFor();
  };

  const pickQuickItem = async (text: string | RegExp): Promise<void> => {
    await rows.filter({ hasText: text }).first().click();
  };

  const runCommand = async (title: string): Promise<void> => {
    // Extensions register their commands late and a fresh window may close an early palette: tried until it is there.
    const row = rows.filter({ has: page.getByText(title, { exact: true }) }).first();
    await untilDone(page, `command "${title}" in the palette`, async () => {
      await page.keyboard.press('F1');
      await input.waitFor({ timeout: 5_000 });
      await input.fill(`>${title}`);
      try {
        await row.waitFor({ timeout: 3_000 });
      } catch (error) {
        await page.keyboard.press('Escape');
        throw error;
      }
      await row.click({ timeout: 3_000 });
    });
  };

  const pickFrom = async (placeholder: RegExp, text: string | RegExp): Promise<string[]> => {
    await page.locator('.quick-input-widget:visible').getByPlaceholder(placeholder).waitFor();
    await rows.filter({ hasText: text }).first().waitFor();
    const shown = await rows.allInnerTexts();
    await pickQuickItem(text);
    return shown;
  };

  const openMcpServers = async (): Promise<void> => {
    await runCommand('MCP: List Servers');
    await page
      .locator('.quick-input-widget:visible')
      .getByPlaceholder(/Select an MCP Server/)
      .waitFor({ timeout: 5_000 });
  };

  const mcpServers = async (): Promise<string[]> =>
    untilDone(page, 'the list of MCP servers', async () => {
      await openMcpServers();
      const shown = await rows.allInnerTexts();
      await page.keyboard.press('Escape');
      return shown;
    });

  const chooseMcpAction = async (name: string, action: string): Promise<void> =>
    untilDone(page, `"${action}" for MCP server "${name}"`, async () => {
      try {
        await openMcpServers();
        await rows.filter({ hasText: name }).first().click({ timeout: 5_000 });
        // The list may have been sorted anew under the click.
        await page
          .locator('.quick-input-widget:visible')
          .getByPlaceholder(`Select action for '${name}'`)
          .waitFor({ timeout: 5_000 });
        await rows
          .filter({ has: page.getByText(action, { exact: true }) })
          .first()
          .click({ timeout: 5_000 });
      } catch (error) {
        await page.keyboard.press('Escape'); // the extension has not offered its servers yet
        throw error;
      }
    });

  const drawn = (name: ThemeName): Locator =>
    page.locator(`.monaco-workbench.vscode-theme-defaults-themes-${THEMES[name]}-json`);

  const setTheme = async (name: ThemeName): Promise<void> => {
    if (await drawn(name).isVisible()) return;
    await untilDone(page, `theme "${name}" in the list`, async () => {
      await runCommand('Preferences: Color Theme');
      try {
        await input.fill(name, { timeout: 5_000 });
        await rows
          .filter({ has: page.getByText(name, { exact: true }) })
          .first()
          .click({ timeout: 5_000 });
      } catch (error) {
        await page.keyboard.press('Escape'); // the extension that brings the themes is not there yet
        throw error;
      }
    });
    await drawn(name).waitFor();
  };

  const resizeSidebar = async (widthPx: number): Promise<void> => {
    const sidebar = page.locator('.part.sidebar');
    const before = await sidebar.boundingBox();
    if (!before) throw new Error('The sidebar is hidden: open a view before it is resized.');
    const edge = before.x + before.width;
    const y = before.y + before.height / 2;
    await page.mouse.move(edge, y);
    await page.mouse.down();
    await page.mouse.move(before.x + widthPx, y, { steps: 3 });
    await page.mouse.up();
    // Away from the edge, which is lit while the mouse is on it.
    await page.mouse.move(before.x + widthPx / 2, 2);
    await untilDone(page, `sidebar ${widthPx} px wide`, async () => {
      const box = await sidebar.boundingBox();
      if (!box || Math.abs(box.width - widthPx) > 2) throw new Error(`it is ${box?.width} px wide`);
    });
  };

  return {
    ready,
    runCommand,
    notifications: () => toasts.allInnerTexts(),
    toast: async (text) => {
      const toast = toasts.filter({ hasText: text }).first();
      await toast.waitFor();
      return toast;
    },
    pickQuickItem,
    pickFrom,
    mcpServers,
    chooseMcpAction,
    isThemeDrawn: (name) => drawn(name).isVisible(),
    setTheme,
    resizeSidebar,
  };
}

/**
 * Repeats an attempt until it goes through: for surfaces that the editor itself closes or fills while it starts.
 * @throws with the last attempt's failure as `cause` after 90 s
 */
export async function untilDone<T>(page: Page, what: string, attempt: () => Promise<T>): Promise<T> {
  const endsAt = Date.now() + 90_000;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (page.isClosed()) throw new Error(`The page was closed while waiting for: ${what}.`, { cause });
      if (Date.now() > endsAt) throw new Error(`Did not come in 90 s: ${what}.`, { cause });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
  }
}
