/** Starts the two worker threads and turns their messages into typed events for the main thread. */
import { once } from 'node:events';
import { stat } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { FromSpawner, FromWatch, ToSpawner, ToWatch } from './threads.ts';

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
    const make = (role: ThreadRole): Worker => new Worker(files[role], options);
    this.watchWorker = make('watch');
    this.spawnerWorker = make('spawner');
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

  toWatch(message: ToWatch): void {
    this.watchWorker.postMessage(message);
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
