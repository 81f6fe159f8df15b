/** Starts the two worker threads and turns their messages into typed events for the main thread. */
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { FromSpawner, FromWatch, ToSpawner, ToWatch } from './threads.ts';

export type ThreadRole = 'watch' | 'spawner';

export class Threads {
  private constructor(
    private readonly watchWorker: Worker,
    private readonly spawnerWorker: Worker,
  ) {}

  /** @param bundle the supervisor's own file: each thread runs it in another role. */
  static async start(
    bundle: string,
    events: {
      watch(message: FromWatch): void;
      spawner(message: FromSpawner): void;
      died(role: ThreadRole, error: unknown): void;
    },
  ): Promise<Threads> {
    // Node's pool threads must exist before the filtered thread does: threads it would create inherit the filter.
    await Promise.all(Array.from({ length: 8 }, () => stat('/')));
    const make = (role: ThreadRole): Worker => {
      const worker = new Worker(bundle, { workerData: { role }, env: {}, execArgv: [] });
      worker.on('error', (error) => events.died(role, error));
      return worker;
    };
    const watch = make('watch');
    const spawner = make('spawner');
    watch.on('message', (message: FromWatch) => events.watch(message));
    spawner.on('message', (message: FromSpawner) => events.spawner(message));
    return new Threads(watch, spawner);
  }

  toWatch(message: ToWatch): void {
    this.watchWorker.postMessage(message);
  }

  toSpawner(message: ToSpawner): void {
    this.spawnerWorker.postMessage(message);
  }

  /** Resolves when the filtered thread is gone: from then on only members are under the filter. */
  async endSpawner(): Promise<void> {
    await this.spawnerWorker.terminate();
  }

  /** Resolves when the watch has let go of its handles and its thread is gone. */
  async endWatch(): Promise<void> {
    const exited = once(this.watchWorker, 'exit');
    this.toWatch({ kind: 'close' });
    await exited;
  }
}
