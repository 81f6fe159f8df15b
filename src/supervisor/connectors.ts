/**
 * Threads that perform what may block for minutes: a connect on a socket that blocks cannot be made to return earlier
 * without changing flags that it shares with the member's own descriptor.
 */
import { Worker } from 'node:worker_threads';
import type { CallResult, Datagram } from '../kernel/sockets.ts';
import type { Performer } from '../watch/seccomp/datagrams.ts';

/** A family with more connects to silent addresses waits for its own. */
const mostThreads = 16;
/** Nothing but one system call runs there. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export type ConnectorTask =
  | { readonly kind: 'connect'; readonly fd: number; readonly address: Uint8Array }
  | { readonly kind: 'send'; readonly fd: number; readonly datagram: Datagram };

interface Job {
  readonly task: ConnectorTask;
  readonly resolve: (result: CallResult) => void;
  readonly reject: (error: Error) => void;
}

export class Connectors implements Performer {
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Job>();
  private readonly queue: Job[] = [];

  /** @param file what each thread runs. */
  constructor(private readonly file: string) {}

  connect(fd: number, address: Buffer): Promise<CallResult> {
    return this.run({ kind: 'connect', fd, address });
  }

  send(fd: number, datagram: Datagram): Promise<CallResult> {
    return this.run({ kind: 'send', fd, datagram });
  }

  /** Resolves when every thread is gone. The descriptors they wait on must have been shut down before. */
  async end(): Promise<void> {
    const workers = [...this.idle, ...this.busy.keys()];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private async run(task: ConnectorTask): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      this.queue.push({ task, resolve, reject });
      this.next();
    });
  }

  private next(): void {
    if (this.queue.length === 0) return;
    const worker = this.idle.pop() ?? this.start();
    const job = worker === undefined ? undefined : this.queue.shift();
    if (worker === undefined || job === undefined) return;
    this.busy.set(worker, job);
    worker.postMessage(job.task);
  }

  private start(): Worker | undefined {
    if (this.busy.size >= mostThreads) return undefined;
    const worker = new Worker(this.file, {
      env: {},
      execArgv: [],
      resourceLimits,
    });
    worker.on('message', (result: CallResult) => {
      const job = this.busy.get(worker);
      this.busy.delete(worker);
      this.idle.push(worker);
      job?.resolve(result);
      this.next();
    });
    worker.on('error', (error) => {
      this.busy.get(worker)?.reject(error);
      this.busy.delete(worker);
      this.next();
    });
    return worker;
  }
}
