/**
 * The only importer of `@vscode/webview-ui-toolkit`, which is no longer developed: replacing it touches this
 * file and `style/toolkit.css`. Only what the panel uses is registered.
 *
 * Its badge is not used: its template has a style attribute, which the content security policy refuses.
 * Its focus style is looked up through a style element, which takes its nonce from `<meta property="csp-nonce">`.
 * Native buttons stay where the toolkit's cannot do the job: expanders in running text and a card's fold
 * (they wrap), and buttons inside tree rows (`tabindex=-1`; the toolkit's inner button would be a tab stop).
 */
import { provideVSCodeDesignSystem, vsCodeButton } from '@vscode/webview-ui-toolkit';

export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton());
}
