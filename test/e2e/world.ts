/** One editor run's own world: its Kinwatch home, its workspace, and what the desk has written of it. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../../.scripts/processes.mjs';
import { type Places, placesFor } from '../../src/protocol/places.ts';
import { recordsOf } from '../desk/harness.ts';
import { checkout, isAlive, type Key, launcher, Run, toolServer } from '../process/rig.ts';
import { editorUser } from './driver.ts';

const filesServer = join(checkout, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

/** As a condition of a real editor on a busy machine. */
const patienceMs = 90_000;

export class World {
  readonly home: string;
  readonly workspace: string;
  readonly dataDir: string;
  readonly places: Places;
  private readonly runs: Run[] = [];

  constructor() {
    this.base = mkdtempSync(join(tmpdir(), 'kwe-'));
    // Another user walks in.
    chmodSync(this.base, 0o755);
    [this.home, this.workspace, this.dataDir] = [
      join(this.base, 'home'),
      join(this.base, 'parcel'),
      join(this.base, 'editor'),
    ];
    for (const path of [this.home, this.workspace]) mkdirSync(path, { mode: 0o700 });
    this.places = placesFor(this.home, undefined, 0);
    give(this.base);
  }

  private readonly base: string;

  get env(): Record<string, string> {
    return { KINWATCH_HOME: this.home };
  }

  /** Writes a file below the base, owned by the editor's user. */
  write(path: string, text: string, mode = 0o600): void {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(path, text);
    chmodSync(path, mode);
    give(this.base);
  }

  /** What a person would write into `servers.jsonc`. */
  writeServers(): void {
    const servers = {
      files: { command: 'node', args: [filesServer, this.workspace] },
      tools: { command: process.execPath, args: [toolServer], cwd: this.workspace },
    };
    this.write(this.places.serversFile, `${JSON.stringify({ servers }, undefined, 2)}\n`);
  }

  /** A script of the workspace, which the agent can write. */
  script(name: string, text: string): string {
    const path = join(this.workspace, name);
    this.write(path, text, 0o755);
    return path;
  }

  /**
   * A client beside the editor: `kinwatch run` under a shell of its own. The shell outlives its command until its
   * standard input is closed, as a client does whose start was not answered in time: the question stays open for it.
   */
  outsideRun(name: string, command: readonly string[]): Run {
    const child = spawn(
      '/bin/sh',
      [
        '-c',
        '"$@"; status=$?; cat >/dev/null; exit $status',
        'sh',
        launcher,
        'run',
        '--name',
        name,
        '--',
        ...command,
      ],
      {
        cwd: this.workspace,
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: this.home, ...this.env },
        ...editorUser,
      },
    );
    const run = new Run(child);
    this.runs.push(run);
    return run;
  }

  /** Every process ever born into a family of this home. */
  born(): Key[] {
    return recordsOf(this, 'birth').map(({ pid, startTicks }) => ({ pid, startTicks }));
  }

  /** The births of the newest session of that server. */
  bornOf(server: string): Key[] {
    const session = this.session(server);
    return recordsOf(this, 'birth').filter((birth) => birth.session === session);
  }

  /** The newest session of that server. */
  session(server: string): string {
    const opened = recordsOf(this, 'session opened').findLast(({ facts }) => facts.server === server);
    if (opened === undefined) throw new Error(`no session of ${server} was recorded`);
    return opened.session;
  }

  certificateOf(session: string): { survivors: number; proved: boolean } | undefined {
    return recordsOf(this, 'certificate').find(({ certificate }) => certificate.session === session)
      ?.certificate;
  }

  /** The desk as it last said of itself. */
  desk(): Key | undefined {
    const started = recordsOf(this, 'desk started').at(-1);
    return started && { pid: started.pid, startTicks: started.startTicks };
  }

  alive(): Key[] {
    return this.born().filter(isAlive);
  }

  /** Ends what a failed test left, and removes the folder. @throws when something stays alive */
  async close(): Promise<void> {
    for (const { child } of this.runs) child.kill('SIGKILL');
    const desk = this.desk();
    if (desk !== undefined && isAlive(desk)) process.kill(desk.pid, 'SIGTERM');
    const isOver = (): boolean => this.alive().length === 0 && (desk === undefined || !isAlive(desk));
    const over = await waitFor(isOver, patienceMs);
    const left = JSON.stringify(this.alive());
    rmSync(this.base, { recursive: true, force: true });
    if (over !== true) throw new Error(`alive after the end: ${left}`);
  }
}

/** Polls for what no page shows. */
export async function until<T>(what: string, look: () => T | undefined | false): Promise<T> {
  let found: T | undefined;
  const isFound = (): boolean => {
    const value = look();
    if (value !== false) found = value;
    return found !== undefined;
  };
  await waitFor(isFound, patienceMs);
  if (found === undefined) throw new Error(`did not happen in time: ${what}`);
  return found;
}

function give(path: string): void {
  const { uid, gid } = editorUser;
  if (uid === undefined || gid === undefined) return;
  lchownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) give(join(path, name));
}
