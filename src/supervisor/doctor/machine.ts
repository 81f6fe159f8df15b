/** What this machine is and permits, by looking and by trying. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { promisify } from 'node:util';
import { installedLsof } from '../../contain/lsof.ts';
import { koffi } from '../../kernel/koffi.ts';
import { landlockAbi } from '../../kernel/landlock.ts';
import { architectureKnown } from '../../kernel/numbers.ts';
import { installedCommands } from '../../watch/persistence/commands.ts';
import { isContainer } from '../host.ts';
import { namespaceLaunchers } from '../processNamespace.ts';
import type { MachineFacts } from './facts.ts';

const directories = ['/usr/bin', '/bin'];
const tryMs = 5000;

export async function lookAtMachine(): Promise<MachineFacts> {
  const processes = await namespaceLaunchers();
  return {
    platform: process.platform,
    architecture: process.arch,
    kernel: release(),
    landlockAbi: architectureKnown ? landlockAbi() : 0,
    ptraceScope: ptraceScope(),
    hidepid: hidepidOf(readText('/proc/self/mountinfo') ?? ''),
    isContainer: isContainer(),
    userNamespaces: await tryUserNamespace(),
    processNamespaces: processes.kind === 'permitted' ? 'permitted' : { reason: processes.reason },
    installed: installedPrograms(),
    node: process.versions.node,
    koffi: koffi.version,
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // not on this kernel, or hidden
  }
}

function ptraceScope(): number | undefined {
  const text = readText('/proc/sys/kernel/yama/ptrace_scope');
  return text === undefined ? undefined : Number(text);
}

/**
 * The option of the `/proc` that is in sight, `proc(5)`. Undefined when it hides nothing.
 *
 * @param mounts text of `/proc/self/mountinfo`, `proc_pid_mountinfo(5)`.
 */
export function hidepidOf(mounts: string): string | undefined {
  const proc = mounts.split('\n').findLast((line) => line.split(' ')[4] === '/proc');
  const value = /\bhidepid=(\w+)/u.exec(proc ?? '')?.[1];
  return value === '0' || value === 'off' ? undefined : value;
}

/** As browsers need it for their own isolation. */
async function tryUserNamespace(): Promise<MachineFacts['userNamespaces']> {
  const [unshare, nothing] = [found('unshare'), found('true')];
  if (unshare === undefined || nothing === undefined)
    return { reason: 'not tried: unshare is not installed (util-linux)' };
  try {
    await promisify(execFile)(unshare, ['--user', '--', nothing], {
      timeout: tryMs,
      killSignal: 'SIGKILL',
      env: { PATH: directories.join(':'), LC_ALL: 'C' },
    });
    return 'permitted';
  } catch (error) {
    const said = (error as { readonly stderr?: string }).stderr?.trim().split('\n', 1)[0] ?? '';
    return { reason: `it was tried: ${said === '' ? 'it did not end' : said}` };
  }
}

function found(name: string): string | undefined {
  return directories.map((directory) => `${directory}/${name}`).find((path) => existsSync(path));
}

function installedPrograms(): ReadonlySet<string> {
  const whats = new Set(installedCommands().map(({ place }) => place.what));
  return new Set([
    ...(installedLsof() === undefined ? [] : ['lsof']),
    ...(whats.has('crontab') ? ['crontab'] : []),
    ...(whats.has('at job') ? ['atq'] : []),
    ...(found('systemd-run') !== undefined && existsSync('/run/systemd/system') ? ['systemd-run'] : []),
  ]);
}
