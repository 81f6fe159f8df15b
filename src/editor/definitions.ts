/** The user's servers as MCP servers of this editor, each launched through Kinwatch. */
import * as vscode from 'vscode';
import type { Servers } from './serverFiles.ts';

export interface DefinitionsHost {
  readonly launcher: string;
  /** Value of `KINWATCH_HOME` where that is set. */
  readonly home: string | undefined;
  servers(): Promise<Servers>;
}

export class Definitions implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> {
  private readonly change = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.change.event;

  constructor(private readonly host: DefinitionsHost) {}

  /** Call when `servers.jsonc` has changed. */
  changed(): void {
    this.change.fire();
  }

  /**
   * Names and the launcher, nothing else: command, arguments and environment are read by the supervisor from
   * the file itself, so that no editor setting can alter them on the way.
   */
  async provideMcpServerDefinitions(): Promise<vscode.McpStdioServerDefinition[]> {
    const { servers } = await this.host.servers();
    const env: Record<string, string> = this.host.home === undefined ? {} : { KINWATCH_HOME: this.host.home };
    return [...servers.keys()].map(
      (name) => new vscode.McpStdioServerDefinition(name, this.host.launcher, ['run', name], env),
    );
  }

  dispose(): void {
    this.change.dispose();
  }
}

/**
 * Starts a server by the editor's own command. It knows servers of an extension as `EXTENSION/LABEL`, the
 * extension's id in lower case.
 */
export async function startInEditor(extensionId: string, name: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.mcp.startServer', `${extensionId.toLowerCase()}/${name}`);
}
