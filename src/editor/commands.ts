/** What the palette's commands do. Containment acts at one press: the pick is the press. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { visibleText } from '../core/consequence/visible.ts';
import { fileName } from '../core/identity/clientName.ts';
import type { SessionView } from '../protocol/desk.ts';
import { type Commands, type CommandId, commandIds } from './commandTable.ts';
import { startInEditor } from './definitions.ts';
import { messages } from './messages.ts';
import type { Panel } from './panel.ts';
import type { Reviewer } from './reviewer.ts';
import { commandLine, type Servers } from './serverFiles.ts';

export interface CommandsHost {
  readonly extensionId: string;
  readonly serversFile: string;
  readonly reviewer: Reviewer;
  readonly panel: Panel;
  servers(): Promise<Servers>;
}

export function registerCommands(host: CommandsHost): vscode.Disposable[] {
  const commands = commandsOf(host);
  return commandIds.map((id: CommandId) => vscode.commands.registerCommand(id, commands[id]));
}

function commandsOf(host: CommandsHost): Commands {
  const { reviewer, panel } = host;
  return {
    'kinwatch.showPanel': async () => {
      // After a refusal this is how a person asks for another try.
      reviewer.start();
      await panel.show();
    },
    'kinwatch.startServer': (name) => startServer(host, typeof name === 'string' ? name : undefined),
    'kinwatch.containSession': async () => {
      const session = await pickSession(host);
      if (session !== undefined) reviewer.contain(session);
    },
    'kinwatch.containAll': () => {
      const living = livingSessions(host);
      if (living.length === 0) void vscode.window.showInformationMessage(messages.noSessions);
      for (const { session } of living) reviewer.contain(session);
    },
    'kinwatch.stopProcess': () => stopProcess(host),
    'kinwatch.openServers': () => openServers(host.serversFile),
  };
}

async function startServer(host: CommandsHost, wanted: string | undefined): Promise<void> {
  const { servers, error } = await host.servers();
  if (error !== undefined || servers.size === 0) {
    const text = error === undefined ? messages.noServers : messages.serversInvalid(error);
    const button = await vscode.window.showWarningMessage(text, messages.openServers);
    if (button === messages.openServers) await openServers(host.serversFile);
    return;
  }
  const name = wanted ?? (await pickServer(servers));
  if (name === undefined) return;
  if (!servers.has(name)) return void vscode.window.showErrorMessage(messages.serverUnknown(name));
  try {
    await startInEditor(host.extensionId, name);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    void vscode.window.showErrorMessage(messages.startFailed(name, reason));
  }
}

async function pickServer(servers: Servers['servers']): Promise<string | undefined> {
  const items = [...servers].map(([label, entry]) => ({ label, detail: commandLine(entry) }));
  return (await vscode.window.showQuickPick(items, { placeHolder: messages.pickServer }))?.label;
}

function livingSessions(host: CommandsHost): readonly SessionView[] {
  return host.reviewer.state.sessions.filter(({ state }) => state !== 'ended');
}

async function pickSession(host: CommandsHost): Promise<string | undefined> {
  const items = livingSessions(host).map(({ session, server, processes, state }) => ({
    label: visibleText(server),
    description: session,
    detail: `${state}, ${messages.running(processes.filter((process) => process.state !== 'ended').length)}`,
    session,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(messages.noSessions);
    return undefined;
  }
  return (await vscode.window.showQuickPick(items, { placeHolder: messages.pickSession }))?.session;
}

async function stopProcess(host: CommandsHost): Promise<void> {
  const items = livingSessions(host).flatMap(({ session, server, processes }) =>
    processes
      .filter(({ state }) => state !== 'ended')
      .map(({ pid, startedAt, exe, argv }) => ({
        label: visibleText(fileName(exe ?? '?')),
        description: `pid ${pid}, ${visibleText(server)}`,
        detail: argv.map((word) => (typeof word === 'string' ? visibleText(word) : '…')).join(' '),
        session,
        pid,
        startedAt,
      })),
  );
  if (items.length === 0) return void vscode.window.showInformationMessage(messages.noProcesses);
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: messages.pickProcess,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked !== undefined) host.reviewer.stopProcess(picked.session, picked.pid, picked.startedAt);
}

/** Opens `servers.jsonc`; writes a commented example first where there is none. */
async function openServers(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, messages.newServersFile, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  await vscode.window.showTextDocument(document);
}
