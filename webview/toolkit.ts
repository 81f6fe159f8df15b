/**
 * The only importer of `@vscode/webview-ui-toolkit`, which is no longer developed: replacing it touches this
 * file and `style/toolkit.css`. Only what the panel uses is registered.
 *
 * Native buttons stay where the toolkit's cannot do the job: expanders in running text and a card's fold
 * (they wrap), and buttons inside tree rows (`tabindex=-1`; the toolkit's inner button would be a tab stop).
 */
import { provideVSCodeDesignSystem, vsCodeBadge, vsCodeButton } from '@vscode/webview-ui-toolkit';

export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeBadge());
}
