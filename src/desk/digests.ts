/**
 * Digests of files that no member can write. The desk outlives its sessions, so that a program started a hundred
 * times is read once; files that a member can write are digested anew by the supervisor, each time.
 */
import type { FileFacts, ProgramFacts } from '../core/facts.ts';
import { digestFile, type FileLook, lookAtFile } from '../watch/files.ts';

/** Far more programs than one user's servers start. */
const mostKept = 1000;

export class Digests {
  private readonly known = new Map<string, Promise<string | undefined>>();

  isComplete(program: ProgramFacts): boolean {
    return filesOf(program).every(({ digest, writable }) => digest !== undefined || writable);
  }

  /** The same program with every digest that can be told. */
  async complete(program: ProgramFacts): Promise<ProgramFacts> {
    const executable = await this.withDigest(program.executable);
    if (program.script === undefined) return { ...program, executable };
    return { ...program, executable, script: await this.withDigest(program.script) };
  }

  private async withDigest(facts: FileFacts): Promise<FileFacts> {
    if (facts.digest !== undefined || facts.writable) return facts;
    const result = lookAtFile(facts.path);
    // Another file than the one that was looked at (a mount of the family's own): its content is not known here.
    if (result.kind === 'absent' || !isSame(facts, result.look)) return facts;
    const digest = await this.digest(result.look);
    return digest === undefined ? facts : { ...facts, digest };
  }

  private digest({ facts, changedNs, modifiedNs }: FileLook): Promise<string | undefined> {
    const key = [facts.device, facts.inode, facts.sizeBytes, changedNs, modifiedNs].join(':');
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.known.size >= mostKept) this.known.clear();
    const digest = digestFile(facts.path, facts.sizeBytes);
    this.known.set(key, digest);
    return digest;
  }
}

function filesOf(program: ProgramFacts): FileFacts[] {
  return program.script === undefined ? [program.executable] : [program.executable, program.script];
}

function isSame(facts: FileFacts, look: FileLook): boolean {
  return (
    !look.facts.writable &&
    look.facts.path === facts.path &&
    look.facts.device === facts.device &&
    look.facts.inode === facts.inode &&
    look.facts.sizeBytes === facts.sizeBytes
  );
}
