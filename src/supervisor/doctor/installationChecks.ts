/** The doctor's sentences about this user's Kinwatch. */
import type { DoctorCheck } from '../../protocol/doctor.ts';
import type { InstallationFacts, PlaceFacts } from './facts.ts';

/** Without its NUL: `unix(7)`. */
const longestSocketPath = 107;

export function installationChecks(facts: InstallationFacts): DoctorCheck[] {
  return [...placeChecks(facts.places), desk(facts)];
}

function placeChecks(places: InstallationFacts['places']): DoctorCheck[] {
  if (places.kind === 'fault') return [{ name: 'folders', state: 'no', text: `${places.reason}.` }];
  return [
    ...places.places.map(place),
    {
      name: 'socket path',
      state: 'yes',
      text: `${places.socketBytes} bytes of ${longestSocketPath} that a socket’s path may have.`,
    },
  ];
}

function place({ name, path, fault, mode }: PlaceFacts): DoctorCheck {
  if (fault !== undefined) {
    // The configuration is read, never answered through: others may look into it.
    const isReadOnly = name === 'configuration folder' && fault.includes('is open to other users');
    return isReadOnly
      ? { name, state: 'partly', text: `${fault}. Servers are started as it says.` }
      : { name, state: 'no', text: `${fault}. Starts are refused until then.` };
  }
  return mode === undefined
    ? { name, state: 'yes', text: `${path} does not exist yet; it is made when it is needed.` }
    : { name, state: 'yes', text: `${path}, this user’s own, mode ${mode}.` };
}

function desk({ desk: found, version }: InstallationFacts): DoctorCheck {
  const name = 'desk';
  switch (found.kind) {
    case 'none':
      return { name, state: 'yes', text: 'None runs; it is started with the first server.' };
    case 'refused':
      return { name, state: 'no', text: `One runs and refused: ${found.reason}` };
    case 'running': {
      const known = found.version === undefined ? 'of a version that cannot be told' : found.version;
      return found.version === version
        ? { name, state: 'yes', text: `One runs, version ${known}, the same as this command.` }
        : {
            name,
            state: 'partly',
            text: `One runs, version ${known}, and this command is ${version ?? 'of a version that cannot be told'}; end all sessions and it starts anew.`,
          };
    }
  }
}
