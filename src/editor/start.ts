/** Puts the editor's parts together for one window. */
import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { connectOrStartDesk } from '../protocol/deskConnection.ts';
import type { FromPanel } from '../protocol/panel.ts';
import { type Places, placesOfUser } from '../protocol/places.ts';
import { registerCommands } from './commands.ts';
import { notificationsSetting, providerId, viewId } from './commandTable.ts';
import { Definitions } from './definitions.ts';
import { openEvidence } from './evidence.ts';
import { writeLauncher } from './launcher.ts';
import { messages } from './messages.ts';
import { Notifier } from './notifier.ts';
import { Panel } from './panel.ts';
import { Reviewer } from './reviewer.ts';
import { reviewerToken } from './reviewerToken.ts';
import { commandLine, readProposals, readServers } from './serverFiles.ts';
import { StatusItem } from './statusItem.ts';

/** @throws never: what cannot work is told to the user, and the rest of the editor goes on. */
export async function start(context: vscode.ExtensionContext): Promise<void> {
  const places = placesOrReason();
  if (typeof places === 'string') return void vscode.window.showErrorMessage(messages.noPlace(places));
  let launcher: string;
  try {
    launcher = await writeLauncher(context.globalStorageUri.fsPath, {
      node: process.execPath,
      dist: vscode.Uri.joinPath(context.extensionUri, 'dist').fsPath,
      electron: process.versions['electron'] !== undefined,
    });
  } catch (error) {
    return void vscode.window.showErrorMessage(messages.noLauncher(String(error)));
  }
  wire(context, places, launcher);
}

function placesOrReason(): Places | string {
  try {
    return placesOfUser(process.env['KINWATCH_HOME']);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function wire(context: vscode.ExtensionContext, places: Places, launcher: string): void {
  const reviewer = new Reviewer({
    connect: (token, handlers) =>
      connectOrStartDesk(
        { socket: places.socket, home: places.override, launcher },
        { role: 'reviewer', token },
        handlers,
      ),
    token: reviewerToken(context.secrets),
    confirmNewEnrolment: async () => {
      const options = { modal: true, detail: messages.tokenButNew };
      return (await vscode.window.showWarningMessage('Kinwatch', options, messages.goOn)) === messages.goOn;
    },
    now: () => new Date().toISOString(),
    workspace: () => ({ folders: folderPaths(), trusted: vscode.workspace.isTrusted }),
    changed: (state) => {
      panel.update();
      status.update(state);
      notifier.update(state);
    },
    certificate: ({ session, survivors, proved }, asked) => {
      const isClean = proved && survivors === 0;
      // An ordinary end that left nothing is no news.
      if (isClean && !asked) return;
      const server = reviewer.state.sessions.find((known) => known.session === session)?.server ?? session;
      const text = messages.ended(server, asked, survivors, proved);
      if (isClean) void vscode.window.showInformationMessage(text);
      else void vscode.window.showWarningMessage(text);
    },
    failed: (request, reason) => void vscode.window.showErrorMessage(messages.requestFailed(request, reason)),
    notConnected: () => void vscode.window.showWarningMessage(messages.notConnected),
  });
  const panel = new Panel(context.extensionUri, {
    state: () => reviewer.state,
    received: (message) => {
      receive(reviewer, message);
    },
  });
  const status = new StatusItem();
  const notifier = new Notifier({
    show: (text, buttons) => vscode.window.showWarningMessage(text, ...buttons),
    answer: (id, choice) => {
      reviewer.answer(id, choice);
    },
    review: (id) => void panel.show(id),
    isEnabled: () => {
      const { section, name } = notificationsSetting;
      return vscode.workspace.getConfiguration(section).get<boolean>(name, true);
    },
    clock: () => performance.now(),
  });
  const servers = () => readServers(places.serversFile);
  const definitions = new Definitions({ launcher, home: places.override, servers });
  const refresh = async (): Promise<void> => {
    const { servers: known, error } = await servers();
    const proposals = await readProposals(folderPaths());
    const { serversError: _old, ...state } = reviewer.state;
    reviewer.set({
      ...state,
      restricted: !vscode.workspace.isTrusted,
      servers: [...known].map(([name, entry]) => ({ name, command: commandLine(entry) })),
      proposals,
      ...(error === undefined ? {} : { serversError: error }),
    });
    definitions.changed();
  };
  const workspaceChanged = (): void => {
    reviewer.sendWorkspace();
    void refresh();
  };
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider(viewId, panel),
    vscode.lm.registerMcpServerDefinitionProvider(providerId, definitions),
    ...registerCommands({
      extensionId: context.extension.id,
      serversFile: places.serversFile,
      reviewer,
      panel,
      servers,
    }),
    status,
    definitions,
    { dispose: () => reviewer.stop() },
    vscode.workspace.onDidChangeWorkspaceFolders(workspaceChanged),
    vscode.workspace.onDidGrantWorkspaceTrust(workspaceChanged),
    // Another window enrolled: its token is this window's too.
    context.secrets.onDidChange(() => {
      reviewer.start();
    }),
  );
  void watchServers(context, places, () => void refresh());
  void refresh();
  reviewer.start();
}

/** The folder has to exist before it can be watched; it is the user's own configuration folder. */
async function watchServers(
  context: vscode.ExtensionContext,
  places: Places,
  changed: () => void,
): Promise<void> {
  await mkdir(places.config, { recursive: true, mode: 0o700 });
  const pattern = new vscode.RelativePattern(vscode.Uri.file(places.config), 'servers.jsonc');
  const proposals = vscode.workspace.createFileSystemWatcher('**/{.vscode/mcp.json,.kinwatch/servers.jsonc}');
  for (const watcher of [vscode.workspace.createFileSystemWatcher(pattern), proposals]) {
    watcher.onDidChange(changed);
    watcher.onDidCreate(changed);
    watcher.onDidDelete(changed);
    context.subscriptions.push(watcher);
  }
}

function folderPaths(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}

function receive(reviewer: Reviewer, message: Exclude<FromPanel, { kind: 'ready' }>): void {
  switch (message.kind) {
    case 'answer':
      return reviewer.answer(message.id, message.choice);
    case 'contain':
      return reviewer.contain(message.session);
    case 'stopProcess':
      return reviewer.stopProcess(message.session, message.pid, message.startedAt);
    case 'openFiles':
      return reviewer.openFiles(message.session, message.pid, message.startedAt);
    case 'copy':
      return void vscode.env.clipboard.writeText(message.text);
    case 'startServer':
      return void vscode.commands.executeCommand('kinwatch.startServer');
    case 'openServers':
      return void vscode.commands.executeCommand('kinwatch.openServers');
    case 'openEvidence':
      return void openEvidence(reviewer.state, message.session);
  }
}
