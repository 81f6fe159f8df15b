/**
 * Where Kinwatch's files lie (DESIGN §6). From the passwd entry's home and the uid alone, never from XDG
 * variables: clients drop or set those, and one user must have one desk. `KINWATCH_HOME` alone overrides.
 */
import { userInfo } from 'node:os';
import { join } from 'node:path';

export interface Places {
  /** Set when `KINWATCH_HOME` decided. */
  readonly override: string | undefined;
  readonly config: string;
  readonly state: string;
  readonly runtime: string;
  readonly serversFile: string;
  readonly socket: string;
}

/** Longest socket path that `sockaddr_un` holds on Linux, its NUL included: `unix(7)`. */
const maxSocketPathBytes = 108;

export class PlacesError extends Error {
  override readonly name = 'PlacesError';
}

/**
 * @param override value of `KINWATCH_HOME`; undefined and empty mean unset.
 * @param home the passwd entry's home; undefined when this uid has none.
 * @throws PlacesError when no place can be told, or the socket's path would be too long.
 */
export function placesFor(override: string | undefined, home: string | undefined, uid: number): Places {
  const chosen = override === undefined || override === '' ? undefined : override;
  if (chosen !== undefined && !chosen.startsWith('/')) {
    throw new PlacesError(`KINWATCH_HOME is ${JSON.stringify(chosen)}; set it to an absolute path`);
  }
  if (chosen === undefined && (home === undefined || home === '' || home === '/nonexistent')) {
    throw new PlacesError(`user ${uid} has no home directory; set KINWATCH_HOME to a directory of its own`);
  }
  const places =
    chosen === undefined
      ? {
          override: undefined,
          config: join(home ?? '', '.config', 'kinwatch'),
          state: join(home ?? '', '.local', 'state', 'kinwatch'),
          runtime: join(home ?? '', '.local', 'state', 'kinwatch', 'run'),
        }
      : {
          override: chosen,
          config: join(chosen, 'config'),
          state: join(chosen, 'state'),
          runtime: join(chosen, 'run'),
        };
  const socket = join(places.runtime, 'desk.sock');
  if (Buffer.byteLength(socket) >= maxSocketPathBytes) {
    throw new PlacesError(
      `the desk's socket path has ${Buffer.byteLength(socket)} bytes and a socket path may have ` +
        `${maxSocketPathBytes - 1}: ${socket}; set KINWATCH_HOME to a shorter directory`,
    );
  }
  return { ...places, serversFile: join(places.config, 'servers.jsonc'), socket };
}

/** The passwd entry of this process's user; both undefined when its uid has none. */
export function passwdEntry(): { readonly home: string | undefined; readonly name: string | undefined } {
  try {
    const { homedir, username } = userInfo();
    return { home: homedir, name: username };
  } catch {
    return { home: undefined, name: undefined };
  }
}

/**
 * The places of this process's user.
 *
 * @param override value of `KINWATCH_HOME`.
 * @throws PlacesError as {@link placesFor}.
 */
export function placesOfUser(override: string | undefined): Places {
  return placesFor(override, passwdEntry().home, process.getuid?.() ?? -1);
}
