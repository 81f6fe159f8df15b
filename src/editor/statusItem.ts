/** The status bar: how many questions wait, else how many families live. */
import * as vscode from 'vscode';
import type { PanelState } from '../protocol/panel.ts';
import type { CommandId } from './commandTable.ts';
import { messages } from './messages.ts';
import { openQuestions } from './mirror.ts';

export class StatusItem {
  private readonly item = vscode.window.createStatusBarItem(
    'kinwatch.status',
    vscode.StatusBarAlignment.Left,
  );

  constructor() {
    this.item.name = 'Kinwatch';
    this.item.command = 'kinwatch.showPanel' satisfies CommandId;
    this.item.tooltip = messages.statusTooltip;
    this.item.show();
  }

  update(state: PanelState): void {
    const waiting = openQuestions(state).length;
    const { text, isUrgent } = statusOf(state, waiting);
    this.item.text = `$(shield) ${text}`;
    this.item.accessibilityInformation = { label: `Kinwatch: ${text}`, role: 'button' };
    this.item.backgroundColor = isUrgent
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
  }

  dispose(): void {
    this.item.dispose();
  }
}

function statusOf(state: PanelState, waiting: number): { text: string; isUrgent: boolean } {
  if (state.desk.kind === 'lost' || state.desk.kind === 'failed' || state.desk.kind === 'refused') {
    return { text: messages.statusDeskAway, isUrgent: true };
  }
  if (waiting > 0) return { text: messages.statusWaiting(waiting), isUrgent: true };
  const living = state.sessions.filter((session) => session.state !== 'ended').length;
  return { text: living === 0 ? messages.statusIdle : messages.statusFamilies(living), isUrgent: false };
}
