/**
 * `kinwatch desk`, not for people: starts a desk in a session of its own and ends once it listens. The desk
 * is then an orphan: nobody's child, and no family's member.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isListening } from '../protocol/deskConnection.ts';
import type { Places } from '../protocol/places.ts';
import { messages } from './messages.ts';
import { CommandError, type Installation, ownEnvironment } from './outcome.ts';

const startTimeoutMs = 5000;
const retryMs = 25;

/** @throws CommandError with what the desk said, when it ends or does not listen in time. */
export async function startDesk(places: Places, installation: Installation): Promise<void> {
  if (await isListening(places.socket)) return;
  const errors = unnamedFile();
  const desk = spawn(installation.node, [join(installation.dist, 'desk.js')], {
    detached: true,
    // A pipe would break under the desk when this process ends.
    stdio: ['ignore', 'ignore', errors.fd],
    cwd: '/',
    env: ownEnvironment(installation, process.env),
  });
  let ended: string | undefined;
  desk.once('error', (error) => {
    ended = error.message;
  });
  desk.once('exit', (code, signal) => {
    ended = signal ?? `status ${code}`;
  });
  const until = performance.now() + startTimeoutMs;
  while (performance.now() < until) {
    if (await isListening(places.socket)) return desk.unref();
    // A desk that found another one ends at once; that other one is about to listen.
    if (ended !== undefined && ended !== 'status 0') {
      const said = errors
        .text()
        .trim()
        .replace(/^kinwatch desk: /u, '');
      throw new CommandError('could not run', said === '' ? messages.deskFailed(ended) : said);
    }
    await delay(retryMs);
  }
  throw new CommandError('could not run', messages.deskSilent(places.socket));
}

/** A file without a name: it goes when the last process that holds it ends. */
function unnamedFile(): { readonly fd: number; text(): string } {
  const folder = mkdtempSync(join(tmpdir(), 'kinwatch-'));
  try {
    const path = join(folder, 'desk-stderr');
    const fd = openSync(path, 'wx+', 0o600);
    const reader = openSync(path, 'r');
    return { fd, text: () => readFileSync(reader, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
