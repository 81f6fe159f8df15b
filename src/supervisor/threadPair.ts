/** Starts the two worker threads and turns their messages into typed events for the main thread. */
import { once } from 'node:events';
import { stat } from 'node:fs';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { FromSpawner, FromWatch, ToSpawner, ToWatch } from './threads.ts';

/**
 * News of requests does not wake the watch: it reads what was posted before it judges anything, and this long after at
 * the latest. A wake-up for each request and each result costs a small call more than all of the relay's work.
 */
const newsMs = 25;
const news: ReadonlySet<ToWatch['kind']> = new Set(['request', 'result', 'initialized']);

export type ThreadRole = 'watch' | 'spawner';

export interface ThreadEvents {
  watch(message: FromWatch): void;
  spawner(message: FromSpawner): void;
  died(role: ThreadRole, error: unknown): void;
}

export class Threads {
  private readonly watchWorker: Worker;
  private readonly spawnerWorker: Worker;
  private spawnerEnd: Promise<unknown> | undefined;
  private readonly news = new MessageChannel();
  private waking: NodeJS.Timeout | undefined;

  /**
   * Starts both at once: they load while the main thread finds out what to launch. Neither says anything before it
   * is spoken to.
   *
   * @param files what each thread runs.
   */
  constructor(files: Readonly<Record<ThreadRole, string>>) {
    // Their own stdout and stderr are read by nobody, and nothing writes there: joined to the process's, as is usual,
    // they would have Node's streams for those made at once.
    const options = { env: {}, execArgv: [], stdout: true, stderr: true };
    const { port2 } = this.news;
    this.news.port1.unref();
    this.watchWorker = new Worker(files.watch, { ...options, workerData: port2, transferList: [port2] });
    this.spawnerWorker = new Worker(files.spawner, options);
  }

  /** Resolves when the spawner was asked to enter its filter; `filtered` or `unable` follows. */
  async begin(events: ThreadEvents, localOnly: boolean): Promise<void> {
    this.watchWorker.on('message', (message: FromWatch) => events.watch(message));
    this.spawnerWorker.on('message', (message: FromSpawner) => events.spawner(message));
    this.watchWorker.on('error', (error) => events.died('watch', error));
    this.spawnerWorker.on('error', (error) => events.died('spawner', error));
    // Node's pool threads must exist before the filtered thread does: threads it would create inherit the filter.
    await Promise.all(Array.from({ length: 8 }, () => new Promise((resolve) => stat('/', resolve))));
    this.toSpawner({ kind: 'enter', localOnly });
  }

  /** Invariant: what was said before is heard before. */
  toWatch(message: ToWatch): void {
    if (!news.has(message.kind)) {
      this.watchWorker.postMessage(message);
      return;
    }
    this.news.port1.postMessage(message);
    this.waking ??= setTimeout(() => {
      this.waking = undefined;
      this.watchWorker.postMessage({ kind: 'news' });
    }, newsMs).unref();
  }

  toSpawner(message: ToSpawner): void {
    this.spawnerWorker.postMessage(message);
  }

  /**
   * Nothing will be launched: resolves when both threads have ended by themselves. A process that exits while a
   * thread still loads native code aborts.
   */
  async leave(): Promise<void> {
    const left = once(this.spawnerWorker, 'exit');
    this.toSpawner({ kind: 'leave' });
    await Promise.all([left, this.endWatch()]);
  }

  /** Resolves when the filtered thread is gone: from then on only members are under the filter. */
  async endSpawner(): Promise<void> {
    this.spawnerEnd ??= this.spawnerWorker.terminate();
    await this.spawnerEnd;
  }

  /** Resolves when the watch has said everything to the desk and let go of its handles, or its thread is gone. */
  async endWatch(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.watchWorker.on('message', (message: FromWatch) => {
        if (message.kind === 'closed') resolve();
      });
      this.watchWorker.once('exit', () => resolve());
    });
    this.toWatch({ kind: 'close' });
    await ended;
  }
}
