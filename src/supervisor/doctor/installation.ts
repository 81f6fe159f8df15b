/** This user's Kinwatch: its version, its folders, its desk, and whether this process is itself in a family. */
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connectDesk, DeskError } from '../../protocol/deskConnection.ts';
import { type Places, placesOfUser, PlacesError } from '../../protocol/places.ts';
import { privateDirectoryFault } from '../../watch/privateDirectory.ts';
import { readCmdline, readStat } from '../../watch/proc.ts';
import type { DeskFacts, InstallationFacts, PlaceFacts } from './facts.ts';

/** @param dist the folder of the bundles. */
export async function lookAtInstallation(dist: string): Promise<InstallationFacts> {
  const version = versionBeside(dist);
  const supervisorAbove = findSupervisorAbove();
  let places: Places;
  try {
    places = placesOfUser(process.env['KINWATCH_HOME']);
  } catch (error) {
    if (!(error instanceof PlacesError)) throw error;
    return {
      version,
      places: { kind: 'fault', reason: error.message },
      desk: { kind: 'none' },
      supervisorAbove,
    };
  }
  const { config, state, runtime, socket } = places;
  return {
    version,
    places: {
      kind: 'places',
      places: [
        lookAtPlace('configuration folder', config),
        lookAtPlace('state folder', state),
        lookAtPlace('runtime folder', runtime),
      ],
      socketBytes: Buffer.byteLength(socket),
    },
    desk: await lookAtDesk(places),
    supervisorAbove,
  };
}

function lookAtPlace(name: string, path: string): PlaceFacts {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    const fault = privateDirectoryFault(path, process.getuid?.() ?? -1);
    return { name, path, fault, mode: stat === undefined ? undefined : (stat.mode & 0o7777).toString(8) };
  } catch (error) {
    return { name, path, fault: error instanceof Error ? error.message : String(error), mode: undefined };
  }
}

async function lookAtDesk(places: Places): Promise<DeskFacts> {
  try {
    const nothing = (): void => undefined;
    const connection = await connectDesk(
      places.socket,
      { role: 'operator' },
      { message: nothing, closed: nothing },
    );
    connection.close();
    return { kind: 'running', version: deskVersion(places) };
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    return error.code === 'no desk' ? { kind: 'none' } : { kind: 'refused', reason: error.message };
  }
}

/** What lies beside the bundle that it runs: `node …/dist/desk.js`. */
function deskVersion({ runtime }: Places): string | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(runtime, 'desk.pid'), 'utf8')) as { readonly pid: number };
    const script = readCmdline(pid)?.[1]?.toString('utf8');
    return script === undefined ? undefined : versionBeside(dirname(script));
  } catch {
    return undefined; // it has just ended, or keeps no such file
  }
}

function versionBeside(dist: string): string | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(dist, '..', 'package.json'), 'utf8')) as {
      readonly version?: unknown;
    };
    return typeof manifest.version === 'string' ? manifest.version : undefined;
  } catch {
    return undefined; // moved or removed
  }
}

function findSupervisorAbove(): number | undefined {
  for (let pid = process.ppid; pid > 1; pid = readStat(pid)?.ppid ?? 0) {
    const script = readCmdline(pid)?.[1]?.toString('utf8') ?? '';
    if (script.endsWith('/dist/supervisor.js')) return pid;
  }
  return undefined;
}
