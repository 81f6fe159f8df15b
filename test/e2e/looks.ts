/** Pictures of a state as a person would see it, in the themes and widths that matter. */
import type { EditorDriver } from './driver.ts';
import type { ThemeName } from './workbench.ts';

/** The editor's own themes, and what a picture calls each. */
const themes: readonly (readonly [ThemeName, string])[] = [
  ['Dark 2026', 'dark'],
  ['Light 2026', 'light'],
  ['Dark High Contrast', 'hc'],
];
const widths = [300, 400] as const;

/**
 * Writes `.screenshots/editor-STATE-THEME-WIDTH.png`, the sidebar alone. In dark also `editor-STATE.png`, the
 * whole window, and `…-tall.png`, the sidebar in a window twice as high.
 */
export async function takePictures(editor: EditorDriver, state: string): Promise<void> {
  const { page } = editor;
  for (const [theme, name] of await currentFirst(editor)) {
    await editor.setTheme(theme);
    for (const width of widths) {
      await editor.resizeSidebar(width);
      // Two frames: the panel measures itself after a resize and draws again.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      await editor.screenshot(`editor-${state}-${name}-${width}`, page.locator('.part.sidebar'));
    }
    if (name === 'dark') await takeWhole(editor, state);
  }
}

/** A change of theme takes its time. */
async function currentFirst(editor: EditorDriver): Promise<typeof themes> {
  const isCurrent = await Promise.all(themes.map(([theme]) => editor.isThemeDrawn(theme)));
  const at = Math.max(0, isCurrent.indexOf(true));
  return [...themes.slice(at), ...themes.slice(0, at)];
}

async function takeWhole(editor: EditorDriver, state: string): Promise<void> {
  const { page } = editor;
  await editor.screenshot(`editor-${state}`);
  const size = page.viewportSize();
  if (size === null) return;
  // What a person would scroll to.
  await page.setViewportSize({ width: size.width, height: 2 * size.height });
  await editor.screenshot(`editor-${state}-tall`, page.locator('.part.sidebar'));
  await page.setViewportSize(size);
}
