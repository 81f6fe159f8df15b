import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, type FrameLocator, type Locator, type Page, chromium } from 'playwright-core';
import { findBrowser } from '../../.scripts/browser.mjs';
import { editorCacheDir, ensureBrowserEditor, startBrowserEditor } from '../../.scripts/editor.mjs';
import { type Chat, openChat } from './chat.ts';
import { type Workbench, openWorkbench } from './workbench.ts';

/** A user without a passwd entry: root is of no interest to Kinwatch, every file counts as writable then. */
const SCRATCH_USER = { uid: 23917, gid: 23917 };

/** Whom the editor runs as: root drops to the scratch user, everybody else stays who they are. */
export const editorUser: { uid?: number; gid?: number } = process.getuid?.() === 0 ? SCRATCH_USER : {};

/** The workbench shows after 7–9 s, on a loaded machine after 40 s. */
export const PATIENCE_MS = 90_000;

const CHROMIUM_ARGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Says that a model which needs no sign-in is set up. Without it a prompt that comes before the editor's own chat
 * extension is ready is met with a sign-in dialog.
 */
const CONFIGURED_MODELS = { 'chatLanguageModels.json': [{ vendor: 'scripted', name: 'Scripted' }] };

/** Spares the notice that asks for a second model. */
const CHAT_SETTINGS = { 'chat.byokUtilityModelDefault': 'mainAgent' };

export interface OpenEditorOptions {
  /** The checkout: where the editor's cache, the test extension and `.screenshots/` are. Absent: the working directory. */
  repoDir?: string;
  /** The unpacked extension under test. Absent: the checkout itself. */
  extensionDir?: string;
  /** Absolute path of the folder to open. */
  workspace: string;
  /** The run's own folder; the same one again is a restart of the same editor. */
  dataDir: string;
  /** 0 or absent: any free port. One port for both runs of a restart keeps the page's origin. */
  port?: number;
  env?: Record<string, string>;
  settings?: Record<string, unknown>;
  /** True: folders are untrusted until a person trusts them. Absent: every folder is trusted. */
  workspaceTrust?: boolean;
  /** Absent: 1280 × 800. */
  viewport?: { width: number; height: number };
  /**
   * Folder of the browser's profile. Absent: a fresh one. The browser editor keeps SecretStorage and global state in
   * the browser, by origin: a restart that must find them again needs the same folder and the same port.
   */
  profileDir?: string;
  log?: (line: string) => void;
}

export interface EditorDriver extends Workbench, Chat {
  readonly page: Page;
  readonly url: string;
  /** The editor's server; the extension host and what it starts descend from it. */
  readonly serverProcess: { pid: number; startTicks: string };
  /** The inner frame of the Kinwatch view, which is opened when it is not. */
  panelFrame(): Promise<FrameLocator>;
  /** Writes `.screenshots/NAME.png`, of one element where one is given, and gives its path. */
  screenshot(name: string, of?: Locator): Promise<string>;
  /** Reloads the window and waits until the workbench is back. */
  reload(): Promise<void>;
  /** Ends the editor's server alone (SIGTERM), as when a person quits the editor: what outlives it stays. */
  quitEditor(): Promise<void>;
  /** Ends the browser, then the editor with everything it started. */
  close(): Promise<void>;
}

/**
 * Opens a real editor with the extension in a real browser. When it fails half-way, nothing stays behind.
 * @throws SetupError when the editor or the browser cannot be had; a timeout names the selector that did not come
 */
export async function openEditor(options: OpenEditorOptions): Promise<EditorDriver> {
  const { repoDir = process.cwd(), workspace, dataDir, log = console.error } = options;
  const executablePath: string = findBrowser({ log, repoDir });
  const editor = await ensureBrowserEditor({ cacheDir: editorCacheDir(repoDir), log });
  const running = await startBrowserEditor({
    editor,
    port: options.port ?? 0,
    extensionDir: options.extensionDir ?? repoDir,
    moreExtensionDirs: [join(repoDir, 'test', 'e2e', 'lmExtension')],
    workspace,
    dataDir,
    env: options.env ?? {},
    settings: { ...CHAT_SETTINGS, ...options.settings },
    userFiles: CONFIGURED_MODELS,
    ...(options.workspaceTrust === undefined ? {} : { workspaceTrust: options.workspaceTrust }),
    ...editorUser,
    log,
  });

  let context: BrowserContext | undefined;
  const close = async (): Promise<void> => {
    try {
      await context?.close();
    } finally {
      await running.stop();
    }
  };
  try {
    context = await chromium.launchPersistentContext(options.profileDir ?? '', {
      executablePath,
      args: [...CHROMIUM_ARGS, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
      viewport: options.viewport ?? { width: 1280, height: 800 },
    });
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(running.url);
    const workbench = openWorkbench(page);
    await workbench.ready();
    return {
      ...workbench,
      ...openChat(page, workbench),
      page,
      url: running.url,
      serverProcess: running.process,
      panelFrame: () => panelFrame(page),
      screenshot: (name, of) => screenshot(of ?? page, join(repoDir, '.screenshots'), name),
      reload: async () => {
        await page.reload();
        await workbench.ready();
      },
      quitEditor: () => running.quit(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function panelFrame(page: Page): Promise<FrameLocator> {
  const tab: Locator = page.locator('.activitybar .action-item:has(a.action-label[aria-label^="Kinwatch"])');
  await tab.waitFor();
  if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
  const frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  await frame.locator('body').waitFor();
  return frame;
}

async function screenshot(of: Page | Locator, dir: string, name: string): Promise<string> {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, `${name}.png`);
  await of.screenshot({ path });
  return path;
}
