/**
 * The doctor: a process of its own, started by `kinwatch doctor`, so that whatever it tries ends with it. It prints one
 * JSON document. Composes, nothing else.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { exitNow } from './kernel/process.ts';
import { reportOf } from './supervisor/doctor/checks.ts';
import { lookAtInstallation } from './supervisor/doctor/installation.ts';
import { lookAtMachine } from './supervisor/doctor/machine.ts';
import { tryHeld } from './supervisor/doctor/tryHeld.ts';

async function main(): Promise<void> {
  process.on('SIGUSR1', () => undefined);
  const machine = await lookAtMachine();
  const installation = await lookAtInstallation(__dirname);
  const held = await tryHeld(join(__dirname, 'supervisorSpawner.js'));
  writeSync(1, `${JSON.stringify(reportOf({ held, machine, installation }))}\n`);
  exitNow(0);
}

main().catch((error: unknown) => {
  writeSync(
    2,
    `kinwatch doctor: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(3);
});
