/** The panel's page. Strict: its own two files, nothing inline, nothing from elsewhere. */

export interface PanelPage {
  /** `webview.cspSource`. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  /** Random for each page. */
  readonly nonce: string;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

export function panelHtml(page: PanelPage): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${page.nonce}'`,
    `style-src ${page.source}`,
    `font-src ${page.source}`,
    `img-src ${page.source}`,
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(page.style)}">
<title>Kinwatch</title>
</head>
<body>
<kw-panel></kw-panel>
<script type="module" nonce="${attribute(page.nonce)}" src="${attribute(page.script)}"></script>
</body>
</html>`;
}
