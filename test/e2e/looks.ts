/** Pictures of a state as a person would see it, in the themes and widths that matter. */
import type { EditorDriver } from './driver.ts';
import type { ThemeName } from './workbench.ts';

/** The editor's own themes, and what a picture calls each. */
const themes: readonly (readonly [ThemeName, string])[] = [
  ['Light 2026', 'light'],
  ['Dark High Contrast', 'hc'],
  ['Dark 2026', 'dark'],
];
const widths = [300, 400] as const;

/**
 * Writes `.screenshots/editor-STATE-THEME-WIDTH.png`, the sidebar alone, and `editor-STATE.png` of the whole window in
 * the last theme, which stays; `…-tall.png` is the sidebar in a window twice as high.
 */
export async function takePictures(editor: EditorDriver, state: string): Promise<void> {
  const { page } = editor;
  for (const [theme, name] of themes) {
    await editor.setTheme(theme);
    for (const width of widths) {
      await editor.resizeSidebar(width);
      // Two frames: the panel measures itself after a resize and draws again.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      await editor.screenshot(`editor-${state}-${name}-${width}`, page.locator('.part.sidebar'));
    }
  }
  await editor.screenshot(`editor-${state}`);
  const size = page.viewportSize();
  if (size === null) return;
  // What a person would scroll to.
  await page.setViewportSize({ width: size.width, height: 2 * size.height });
  await editor.screenshot(`editor-${state}-tall`, page.locator('.part.sidebar'));
  await page.setViewportSize(size);
}
