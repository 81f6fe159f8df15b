/** The kernel's own word that nobody is left under the filter, and what is no such word. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { installFilter, setNoNewPrivileges } from '../../src/kernel/filter.ts';
import { Listener } from '../../src/kernel/listener.ts';
import { syscalls } from '../../src/kernel/numbers.ts';

/** The filtered thread: installs a filter that traps one call nobody here makes, and starts a program under it. */
function filteredThread(): void {
  setNoNewPrivileges();
  const fd = installFilter({ notify: [{ call: syscalls().setns }], refuse: new Map() });
  const child = spawn('/bin/sleep', ['1000'], { stdio: 'ignore', detached: true });
  child.once('exit', () => undefined);
  parentPort?.postMessage({ fd, pid: child.pid });
}

async function becomes(listener: Listener, state: string): Promise<boolean> {
  for (let look = 0; look < 2000; look += 1) {
    if (listener.state() === state) return true;
    await delay(5);
  }
  return false;
}

/** Some turns of the event loop: a hang-up comes within less. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await delay(1);
}

if (!isMainThread) {
  filteredThread();
} else {
  test(
    'empty is said only when thread and members are gone',
    { skip: process.platform !== 'linux' },
    async () => {
      // Pool threads first: what the filtered thread would create inherits the filter.
      await Promise.all(Array.from({ length: 8 }, () => stat('/')));
      const worker = new Worker(fileURLToPath(import.meta.url));
      const [{ fd, pid }] = (await once(worker, 'message')) as [{ fd: number; pid: number }];
      const listener = new Listener(fd);
      assert.equal(listener.state(), 'idle', 'thread and program live');
      await worker.terminate();
      await turns();
      assert.equal(listener.state(), 'idle', 'the program lives');
      process.kill(pid, 'SIGSTOP');
      await turns();
      assert.equal(listener.state(), 'idle', 'stopped is not gone');
      process.kill(pid, 'SIGKILL');
      assert.ok(await becomes(listener, 'empty'));
      assert.equal(listener.state(), 'empty', 'and it stays so');
      listener.close();
    },
  );
}
