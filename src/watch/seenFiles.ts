/** Files as they were looked at: once for one exec, and those of the system once for many. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isWayWritable, lookAtFile, type LookResult } from './files.ts';

export interface SeenFile {
  readonly result: LookResult;
  /** The `#!` line of a file that could be read. */
  readonly line: { readonly interpreter: string; readonly argument?: string } | undefined;
}

/** Lives as long as one exec is looked at. */
export class SeenFiles {
  private readonly files = new Map<string, SeenFile>();

  /** @param known looks that outlive this exec. */
  constructor(private readonly known?: SystemFiles) {}

  /** The file as it was when this exec first looked at it. */
  look(path: string): SeenFile {
    const before = this.files.get(path);
    if (before !== undefined) return before;
    const file = this.known?.get(path) ?? this.lookAnew(path);
    this.files.set(path, file);
    return file;
  }

  private lookAnew(path: string): SeenFile {
    const result = lookAtFile(path);
    const isReadable = result.kind === 'found' && result.look.isFile && result.look.readable;
    const file = { result, line: isReadable ? shebang(result.look.facts.path) : undefined };
    this.known?.keep(path, file);
    return file;
  }
}

/** Far more programs than one family starts. */
const mostKept = 500;
/** Only root can change who may write a system directory; after so long that is looked at again. */
const keptMs = 1000;

interface Kept {
  readonly file: SeenFile;
  readonly device: bigint;
  readonly inode: bigint;
  readonly changedNs: bigint;
  readonly until: number;
}

/**
 * Looks at files of the system that no process of this user can change, replace, or lead another way to: they stand
 * while device, inode and change time do.
 *
 * Invariant: nothing that a member can write, and no path through a directory that it can write, is ever kept.
 */
export class SystemFiles {
  private readonly files = new Map<string, Kept>();

  get(path: string): SeenFile | undefined {
    const kept = this.files.get(path);
    if (kept === undefined) return undefined;
    if (performance.now() < kept.until && isSame(path, kept)) return kept.file;
    this.files.delete(path);
    return undefined;
  }

  keep(path: string, file: SeenFile): void {
    const { result } = file;
    if (result.kind === 'absent' || !isPlain(path)) return;
    const { facts, changedNs, isFile } = result.look;
    if (!isFile || facts.ownerUid !== 0 || facts.writable || mayLeadElsewhere(path)) return;
    if (this.files.size >= mostKept) this.files.clear();
    this.files.set(path, {
      file,
      device: BigInt(facts.device),
      inode: BigInt(facts.inode),
      changedNs,
      until: performance.now() + keptMs,
    });
  }
}

function isSame(path: string, kept: Kept): boolean {
  try {
    const { dev, ino, ctimeNs } = statSync(path, { bigint: true });
    return dev === kept.device && ino === kept.inode && ctimeNs === kept.changedNs;
  } catch {
    return false; // gone, or out of reach: the next look says which
  }
}

function mayLeadElsewhere(path: string): boolean {
  try {
    return isWayWritable(path);
  } catch {
    return true; // a directory of it is gone or cannot be looked at
  }
}

/** Spelled without `.` and `..`: the directories of the text are those that the kernel walks. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !/\/\.{0,2}(?:\/|$)/u.test(path) && !path.startsWith('/proc/');
}

/** Longest `#!` line that Linux reads: `BINPRM_BUF_SIZE`. */
const shebangBytes = 256;
function shebang(path: string): { interpreter: string; argument?: string } | undefined {
  const head = Buffer.alloc(shebangBytes);
  let count: number;
  try {
    const fd = openSync(path, 'r');
    try {
      count = readSync(fd, head, 0, head.length, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined; // executable but not readable: the kernel can still run a binary, never a script
  }
  if (count < 2 || head[0] !== 0x23 || head[1] !== 0x21) return undefined;
  const line = head.toString('utf8', 2, count).split('\n')[0]?.trim() ?? '';
  const [, interpreter, argument] = /^(\S+)(?:[ \t]+(.*))?$/u.exec(line) ?? [];
  if (interpreter === undefined) return undefined;
  return { interpreter, ...(argument === undefined || argument === '' ? {} : { argument }) };
}
