import type { EditorDriver } from './driver.ts';
import { untilDone } from './workbench.ts';

/** How long the extension took to activate, as the editor itself has measured it. */
export async function activationTime(editor: EditorDriver): Promise<string> {
  await editor.runCommand('Developer: Show Running Extensions');
  const list = editor.page.locator('.runtime-extensions-editor .monaco-list');
  const row = list.locator('.monaco-list-row').filter({ hasText: 'Kinwatch' });
  await list.hover();
  await untilDone(editor.page, 'Kinwatch among the running extensions', async () => {
    if (await row.isVisible()) return;
    await editor.page.mouse.wheel(0, 120);
    throw new Error('not in view');
  });
  const text = await row.innerText();
  await editor.page.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
  return /Activation: (?<time>\d+\s*ms)/u.exec(text)?.groups?.['time'] ?? text;
}
