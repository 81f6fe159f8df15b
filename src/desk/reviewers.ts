/** The connected reviewers: what all of them hear, and what they say about their workspaces. */
import { resolve, sep } from 'node:path';
import { realpathSync } from 'node:fs';
import type { FromDesk } from '../protocol/desk.ts';

export interface ReviewerPort {
  send(message: FromDesk): void;
  /** What this reviewer's editor has open. Undefined before it said so. */
  workspace: { readonly folders: readonly string[]; readonly trusted: boolean } | undefined;
}

export class Reviewers {
  private readonly ports = new Set<ReviewerPort>();

  /** @param changed called when the first reviewer comes or the last one goes. */
  constructor(private readonly changed: (isAny: boolean) => void) {}

  get isAny(): boolean {
    return this.ports.size > 0;
  }

  add(port: ReviewerPort): void {
    this.ports.add(port);
    if (this.ports.size === 1) this.changed(true);
  }

  remove(port: ReviewerPort): void {
    if (this.ports.delete(port) && this.ports.size === 0) this.changed(false);
  }

  broadcast(message: FromDesk): void {
    for (const port of this.ports) port.send(message);
  }

  workspaceFolders(): string[] {
    return [...new Set([...this.ports].flatMap((port) => port.workspace?.folders ?? []))].toSorted();
  }

  /** True when the file lies in a folder that some editor has open and does not trust. */
  isUntrusted(file: string): boolean {
    if (!file.startsWith('/')) return false;
    const places = [resolve(file), real(file)];
    return [...this.ports].some(
      ({ workspace }) =>
        workspace?.trusted === false &&
        workspace.folders.some((folder) =>
          [resolve(folder), real(folder)].some((root) => places.some((place) => isInside(place, root))),
        ),
    );
  }
}

function isInside(place: string, root: string): boolean {
  return place === root || place.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/** The path itself when it cannot be resolved. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // what does not exist has no links to hide behind
  }
}
