/** Which machine this is, as a person knows it: an editor's window may show another one's files. */
import { existsSync } from 'node:fs';
import { hostname, release } from 'node:os';

/** @param distribution value of `WSL_DISTRO_NAME` where the client runs. */
export function hostWords(distribution: string | undefined): string {
  const name = hostname();
  if (/microsoft/iu.test(release()))
    return `${name} (Linux inside Windows${distribution === undefined || distribution === '' ? '' : `, ${distribution}`})`;
  return isContainer() ? `${name} (a container)` : name;
}

/** Docker's and Podman's own marks. */
export function isContainer(): boolean {
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv');
}
