/**
 * The held watch tried for real: the supervisor's own filtered thread launches a program, its second exec is held,
 * looked at as the watch does, released, and its end waited for. Nothing is left: every process of it has ended.
 */
import { once } from 'node:events';
import { closeSync, existsSync, openSync, stat } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { errnoName } from '../../kernel/libc.ts';
import { Listener, type Notification } from '../../kernel/listener.ts';
import { TargetMemory } from '../../kernel/memory.ts';
import { syscalls } from '../../kernel/numbers.ts';
import { closeFd, openPidfd } from '../../kernel/pidfd.ts';
import { socketPair } from '../../kernel/socketPair.ts';
import { duplicateFrom, families, socketKind } from '../../kernel/sockets.ts';
import { readExe } from '../../watch/proc.ts';
import { Signal } from '../signal.ts';
import type { FromSpawner, ToSpawner } from '../threads.ts';
import type { HeldTry } from './facts.ts';

const tryMs = 10_000;
/** A program that went on meanwhile was not held. */
const holdMs = 30;
const proofMs = 2000;
const longestPathBytes = 4096;

type Look = Omit<Extract<HeldTry, { kind: 'held' }>, 'kind' | 'domain' | 'emptied'>;

/** @param spawnerFile the bundle of the supervisor's filtered thread. */
export async function tryHeld(spawnerFile: string): Promise<HeldTry> {
  const program = ['/usr/bin/true', '/bin/true'].find((path) => existsSync(path));
  if (program === undefined || !existsSync('/bin/sh'))
    return { kind: 'failed', reason: 'there is no /bin/sh and true to try it with' };
  // Threads of Node's pool that the filtered thread would make inherit its filter: they are made before.
  await Promise.all(Array.from({ length: 8 }, () => new Promise((resolve) => stat('/', resolve))));
  const worker = new Worker(spawnerFile, { env: {}, execArgv: [], stdout: true, stderr: true });
  const told = { entered: new Signal<FromSpawner>(), exited: new Signal<FromSpawner>() };
  let rootPid: number | undefined;
  worker.on('message', (message: FromSpawner) => {
    if (message.kind === 'spawned') rootPid = message.pid;
    else if (message.kind === 'filtered' || message.kind === 'unable') told.entered.give(message);
    else told.exited.give(message);
  });
  worker.on('error', (error) => told.entered.give({ kind: 'unable', reason: String(error) }));
  const say = (message: ToSpawner): void => worker.postMessage(message);
  say({ kind: 'enter', localOnly: false });
  const entered = await told.entered.wait();
  if (entered.kind !== 'filtered') {
    await worker.terminate();
    return { kind: 'unable', reason: entered.kind === 'unable' ? entered.reason : entered.kind };
  }
  const listener = new Listener(entered.listenerFd);
  const [ours, theirs] = socketPair();
  const nothing = openSync('/dev/null', 'r+');
  try {
    say({
      kind: 'spawn',
      plan: {
        path: '/bin/sh',
        // The shell's memory is its own, unlike that of the first exec, which is a copy of this process's.
        argv: ['/bin/sh', '-c', 'exec "$0"', program],
        cwd: '/',
        environment: {},
        stdio: [theirs, nothing, nothing],
      },
    });
    const trial = new Trial(listener, program);
    const exited = await trial.run(told.exited);
    if (exited === undefined) {
      if (rootPid !== undefined) endChild(rootPid);
      await Promise.race([trial.run(told.exited), delay(proofMs)]);
      return { kind: 'failed', reason: `a program under the filter did not end in ${tryMs / 1000} s` };
    }
    if (exited.kind !== 'exited' || exited.code !== 0)
      return { kind: 'failed', reason: `a program under the filter did not run: ${JSON.stringify(exited)}` };
    if (trial.look === undefined) return { kind: 'failed', reason: 'a program went on without being held' };
    await ended(worker);
    return { kind: 'held', domain: entered.domain, ...trial.look, emptied: await isEmptied(listener) };
  } finally {
    await ended(worker);
    listener.close();
    closeFd(ours);
    closeFd(theirs);
    closeSync(nothing);
  }
}

/** Answers the calls of one small family. */
class Trial {
  look: Look | undefined;
  private execs = 0;
  private readonly memory = new TargetMemory();

  constructor(
    private readonly listener: Listener,
    private readonly program: string,
  ) {}

  /** Until the program's end was told; undefined when it is not within {@link tryMs}. */
  async run(exited: Signal<FromSpawner>): Promise<FromSpawner | undefined> {
    const until = performance.now() + tryMs;
    while (!exited.given && performance.now() < until) {
      if (this.listener.state() === 'waiting') await this.answer();
      else await delay(1);
    }
    return exited.given ? exited.wait() : undefined;
  }

  private async answer(): Promise<void> {
    const notification = this.listener.receive();
    if (notification === undefined) return;
    const call = syscalls();
    if (notification.call === call.execve || notification.call === call.execveat) {
      this.execs += 1;
      if (this.execs === 2) await this.hold(notification);
    }
    this.listener.answer(notification.id, { kind: 'continue' });
  }

  private async hold({ id, tid, arguments: [path] }: Notification): Promise<void> {
    const before = readExe(tid);
    const text = this.memory.readString(tid, path, longestPathBytes)?.toString('utf8');
    const pidfd = openPidfd(tid);
    const socket = pidfd === undefined ? { errno: 'no pidfd' } : socketOf(pidfd);
    if (pidfd !== undefined) closeFd(pidfd);
    await delay(holdMs);
    const isHeld = this.listener.isValid(id) && readExe(tid) === before;
    if (!isHeld) return;
    this.look = {
      memory: text === this.program,
      proc: before !== undefined,
      pidfd: pidfd !== undefined,
      socket,
    };
  }
}

function socketOf(pidfd: number): Look['socket'] {
  const copy = duplicateFrom(pidfd, 0);
  if (copy.kind === 'errno') return { errno: errnoName(copy.errno) };
  const kind = socketKind(copy.value);
  closeFd(copy.value);
  return 'family' in kind && kind.family === families.unix ? 'duplicated' : { errno: 'another descriptor' };
}

async function ended(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return;
  const exit = once(worker, 'exit');
  await worker.terminate();
  await exit;
}

async function isEmptied(listener: Listener): Promise<boolean> {
  const until = performance.now() + proofMs;
  while (performance.now() < until) {
    if (listener.state() === 'empty') return true;
    await delay(1);
  }
  return false;
}

/** A child of this process that was not collected yet: its number is nobody else's. */
function endChild(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
