/** Opens a certificate's evidence. Only a folder that the desk itself has named. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { PanelState } from '../protocol/panel.ts';
import { messages } from './messages.ts';

export async function openEvidence(state: PanelState, session: string): Promise<void> {
  const certificate =
    state.certificates.find((known) => known.session === session) ??
    state.sessions.find((known) => known.session === session)?.certificate;
  const folder = certificate?.evidence?.folder;
  if (folder === undefined) return void vscode.window.showInformationMessage(messages.noEvidence);
  const files = (await readdir(folder)).toSorted();
  const picked = await vscode.window.showQuickPick(files, { placeHolder: messages.pickEvidence(folder) });
  if (picked !== undefined)
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(join(folder, picked)));
}
