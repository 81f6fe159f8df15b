/**
 * Pictures of every state of the gallery, through the real bundle, written to `.screenshots/panel/`. From the
 * repository's root:
 * `npx esbuild test/webview/gallery.shots.ts --bundle --platform=node --format=esm --packages=external
 * --outfile=.screenshots/shots.mjs && node .screenshots/shots.mjs [STATE…]`.
 */
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { states } from './states.ts';

const root = process.cwd();
const here = join(root, 'test/webview');
const out = join(root, '.screenshots/panel');
const widths = [300, 360, 480];
const themes = ['dark', 'light', 'hc'];
mkdirSync(out, { recursive: true });

await build({
  entryPoints: [join(root, 'webview/main.ts')],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  outdir: out,
});
await build({ entryPoints: [join(here, 'gallery.ts')], bundle: true, format: 'iife', outdir: out });
for (const name of ['main.js', 'main.css']) {
  const bytes = readFileSync(join(out, name));
  console.log(name, bytes.length, 'bytes,', gzipSync(bytes).length, 'gzipped');
}

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const server = createServer((incoming, answer) => {
  const name = new URL(incoming.url ?? '/', 'http://localhost').pathname.slice(1);
  const folder = name === 'gallery.html' || name === 'gallery.css' ? here : out;
  try {
    const bytes = readFileSync(join(folder, name));
    answer.writeHead(200, { 'content-type': types[name.split('.').at(-1) ?? ''] ?? 'text/plain' }).end(bytes);
  } catch {
    // Asked for something that isn't there, such as a favicon.
    answer.writeHead(404).end();
  }
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(states);
for (const theme of themes) {
  for (const width of widths) {
    const page = await browser.newPage({ viewport: { width, height: 800 }, deviceScaleFactor: 1.5 });
    let isShooting = false;
    page.on('console', (message) => {
      // Taking a picture adds a style of its own, which the page's policy refuses.
      if (!isShooting && message.type() !== 'log') console.log(`${theme} ${width}: ${message.text()}`);
    });
    page.on('pageerror', (error) => console.log(`${theme} ${width}: ${error.message}`));
    for (const state of wanted) {
      isShooting = false;
      await page.goto(`http://127.0.0.1:${port}/gallery.html?state=${state}&theme=${theme}`);
      await page.waitForTimeout(750);
      const size = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        height: document.documentElement.scrollHeight,
      }));
      if (size.width > width) console.log(`${state} ${theme} ${width}: scrolls sideways, ${size.width}`);
      isShooting = true;
      await page.screenshot({ path: join(out, `${state}-${theme}-${width}.png`) });
      // Sticky parts find their places only in a view as high as the page.
      await page.setViewportSize({ width, height: Math.max(800, size.height) });
      await page.waitForTimeout(750);
      await page.screenshot({ path: join(out, `${state}-${theme}-${width}-full.png`) });
      await page.setViewportSize({ width, height: 800 });
    }
    await page.close();
  }
}
await browser.close();
server.close();
