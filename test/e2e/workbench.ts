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
  /** Starts an MCP server as a person would, through `MCP: List Servers`, and waits until it runs. */
  startMcpServer(name: string): Promise<void>;
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

  const startMcpServer = async (name: string): Promise<void> => {
    await untilDone(page, `MCP server "${name}" in the list`, async () => {
      await runCommand('MCP: List Servers');
      try {
        await rows.filter({ hasText: name }).first().click({ timeout: 5_000 });
        await rows
          .filter({ hasText: /^(Start|Stop) Server/ })
          .first()
          .waitFor({ timeout: 5_000 });
      } catch (error) {
        await page.keyboard.press('Escape'); // the extension has not offered its servers yet
        throw error;
      }
    });
    const start = rows.filter({ hasText: /^Start Server/ }).first();
    if (await start.isVisible()) await start.click();
    else await page.keyboard.press('Escape');
    await untilDone(page, `MCP server "${name}" running`, async () => {
      await runCommand('MCP: List Servers');
      const text = rows
        .filter({ hasText: name })
        .filter({ hasText: /Running|Error/ })
        .first();
      try {
        await text.waitFor({ timeout: 3_000 });
        const state = await text.innerText();
        if (/Error/.test(state)) throw new FinalError(`MCP server "${name}" did not start: ${state}`);
      } finally {
        await page.keyboard.press('Escape');
      }
    });
  };

  const setTheme = async (name: ThemeName): Promise<void> => {
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
    await page.locator(`.monaco-workbench.vscode-theme-defaults-themes-${THEMES[name]}-json`).waitFor();
  };

  const resizeSidebar = async (widthPx: number): Promise<void> => {
    const sidebar = page.locator('.part.sidebar');
    const before = await sidebar.boundingBox();
    if (!before) throw new Error('The sidebar is hidden: open a view before it is resized.');
    const edge = before.x + before.width;
    const y = before.y + before.height / 2;
    await page.mouse.move(edge, y);
    await page.mouse.down();
    await page.mouse.move(before.x + widthPx, y, { steps: 8 });
    await page.mouse.up();
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
    startMcpServer,
    setTheme,
    resizeSidebar,
  };
}

/** Ends `untilDone` at once: trying again cannot help. */
class FinalError extends Error {}

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
      if (cause instanceof FinalError) throw cause;
      if (page.isClosed()) throw new Error(`The page was closed while waiting for: ${what}.`, { cause });
      if (Date.now() > endsAt) throw new Error(`Did not come in 90 s: ${what}.`, { cause });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
  }
}
