/** Which hosts a program's arguments name. A name counts only once it has been resolved to the address in question. */

/** More names than a person types on one command line. */
const mostNames = 8;
const name = String.raw`[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?)*\.?`;
/** `https://user@host:1/path`, `user@host:path`, `host:port`, `host`. */
const url = new RegExp(String.raw`[a-z][a-z0-9+.-]*://(?:[^\s/@]*@)?(?<host>${name})(?=[:/?#\s]|$)`, 'giu');
const plain = new RegExp(String.raw`^(?:[^\s/@=]+@)?(?<host>${name})(?::\S*)?$`, 'iu');

/** @param argv the vector as text, with `argv[0]`. In order of appearance, without repetition. */
export function hostNames(argv: readonly string[]): string[] {
  const found = new Set<string>();
  for (const word of argv.slice(1)) {
    for (const match of word.matchAll(url)) add(found, match.groups?.['host']);
    const value = word.startsWith('-') && word.includes('=') ? word.slice(word.indexOf('=') + 1) : word;
    const host = plain.exec(value)?.groups?.['host'];
    // A bare word is a host only when it could be one: `localhost`, or something with a dot that is no number or file.
    if (host !== undefined && (/[a-z]/iu.test(host) || host.includes('.'))) add(found, host);
    if (found.size >= mostNames) break;
  }
  return [...found].slice(0, mostNames);
}

function add(found: Set<string>, host: string | undefined): void {
  if (host === undefined || host.length > 253 || /^[\d.]+$/u.test(host)) return;
  found.add(host.toLowerCase().replace(/\.$/u, ''));
}
