/** The desk's process: everything that has authority (DESIGN §1). Composes, nothing else. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import psList from 'ps-list';
import { hardenProcess } from './kernel/process.ts';
import { passwdEntry, placesOfUser } from './protocol/places.ts';
import { reasonOf } from './desk/deskError.ts';
import { machineTable } from './desk/machineTable.ts';
import { ownFiles } from './desk/ownFiles.ts';
import { startDesk } from './desk/run.ts';
import { timings } from './desk/timings.ts';
import { installedCommands } from './watch/persistence/commands.ts';

// First of all: this signal would open Node's inspector to whoever may send it (THREATS 1).
process.on('SIGUSR1', () => undefined);
hardenProcess();
process.umask(0o077);

const ownBundle = fileURLToPath(import.meta.url);

async function main(): Promise<void> {
  try {
    const uid = process.getuid?.() ?? -1;
    const { name, home } = passwdEntry();
    const start = await startDesk({
      places: placesOfUser(process.env['KINWATCH_HOME']),
      uid,
      user: name ?? `uid ${uid}`,
      home,
      commands: installedCommands(),
      timings,
      processTable: () => machineTable(psList),
      ownFiles: ownFiles(dirname(ownBundle), Object.keys(createRequire(ownBundle).cache)),
    });
    if (start.kind === 'running') {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
        process.on(signal, () => void start.desk.stop(signal));
      }
      await start.desk.ended;
    } else {
      process.stderr.write('kinwatch desk: another desk already runs for this user\n');
    }
    process.exit(0);
  } catch (error) {
    process.stderr.write(`kinwatch desk: ${reasonOf(error)}\n`);
    process.exit(3);
  }
}

void main();
