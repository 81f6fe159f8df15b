/** The package of the approved command: what belongs to it may start during the start-up. */
import { packageRoot, type ProgramLook } from '../watch/program.ts';

export class StartPackage {
  private readonly root: string | undefined;
  /** A package runner's package, by name. */
  private readonly runnerPackage: string | undefined;

  constructor(program: ProgramLook) {
    this.root = program.script === undefined ? undefined : packageRoot(program.script.facts.path);
    this.runnerPackage = program.package;
  }

  /** Every file of it is the system's or lies in the package. */
  holds(look: ProgramLook): boolean {
    const runner = this.runnerPackage;
    const files = [look.executable.facts, ...(look.script === undefined ? [] : [look.script.facts])];
    return files.every(({ path, ownerUid, writable }) => {
      if (ownerUid === 0 && !writable) return true;
      if (this.root !== undefined && path.startsWith(`${this.root}/`)) return true;
      return runner !== undefined && path.includes(`/node_modules/${bareName(runner)}/`);
    });
  }
}

/** `@scope/name@1.2` → `@scope/name`. */
function bareName(spec: string): string {
  const at = spec.indexOf('@', 1);
  return at === -1 ? spec : spec.slice(0, at);
}
