/** Entry of the extension host. Composes, nothing else. */
import type { ExtensionContext } from 'vscode';
import { start } from './editor/start.ts';

export async function activate(context: ExtensionContext): Promise<void> {
  await start(context);
}
