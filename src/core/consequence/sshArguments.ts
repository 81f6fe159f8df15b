/**
 * Where an OpenSSH client command would connect, read by the program's own grammar: `ssh(1)` and the option
 * loop of `ssh.c` (BSD getopt: options end at the first operand; after the host they are read once more; the
 * first value given for an option counts). What the user's `ssh_config` adds is not known here.
 */

export interface SshTarget {
  /** As named: a `Host` alias of `ssh_config` may lead elsewhere. */
  readonly host: string;
  readonly user?: string;
  readonly port?: string;
  /** The words after the host, joined as ssh joins them. Absent when it opens a login shell. */
  readonly command?: string;
  /** True when host, user, port and command are all that the arguments say. */
  readonly complete: boolean;
}

const takesValue = new Set('bceilmopBDEFIJLOPQRSWw');
const flags = new Set('1246afgkngqstvxACGKMNTVXYy');
/** Flags that leave the sentence "connects to host as user and runs command" whole. */
const quiet = new Set('46aknqtTvx');
/** Flags and options with which ssh does something else than connect to the host and run a command there. */
const otherwise = new Set('GVQO');
const quietSettings = new Set([
  'batchmode',
  'connecttimeout',
  'loglevel',
  'requesttty',
  'serveraliveinterval',
]);

interface Reading {
  host?: string;
  user?: string;
  port?: string;
  command?: string;
  hostName?: string;
  complete: boolean;
}

/**
 * @param argv the whole vector, `argv[0]` being the program.
 * @returns null when the arguments do not say plainly where it connects (unknown option, missing value,
 *   no host, a mode that does not connect).
 */
export function sshTarget(argv: readonly string[]): SshTarget | null {
  const reading: Reading = { complete: true };
  let index = 1;
  for (let round = 0; round < 2; round += 1) {
    const next = readOptions(argv, index, reading);
    if (next === null) return null;
    index = next;
    if (reading.host === undefined) {
      const operand = argv[index];
      if (operand === undefined || !readHost(operand, reading)) return null;
      index += 1;
      if (index === argv.length) break;
    }
  }
  const words = argv.slice(index);
  if (words.length > 0) reading.command = words.join(' ');
  const host = reading.hostName ?? reading.host;
  // `%h` and its like expand by rules that are not read here.
  if (host === undefined || host === '' || host.includes('%') || host.startsWith('-')) return null;
  return {
    host,
    ...(reading.user === undefined ? {} : { user: reading.user }),
    ...(reading.port === undefined ? {} : { port: reading.port }),
    ...(reading.command === undefined ? {} : { command: reading.command }),
    complete: reading.complete,
  };
}

/** Reads options from `start`; returns the index of the first operand, or null when they are not understood. */
function readOptions(argv: readonly string[], start: number, reading: Reading): number | null {
  let index = start;
  for (; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return index + 1;
    if (!word.startsWith('-') || word === '-') return index;
    for (let at = 1; at < word.length; at += 1) {
      const letter = word[at] ?? '';
      if (otherwise.has(letter)) return null;
      if (flags.has(letter)) {
        if (!quiet.has(letter)) reading.complete = false;
        continue;
      }
      if (!takesValue.has(letter)) return null;
      const attached = word.slice(at + 1);
      if (attached === '') index += 1;
      const value = attached === '' ? argv[index] : attached;
      if (value === undefined || !readValue(letter, value, reading)) return null;
      break;
    }
  }
  return index;
}

function readValue(letter: string, value: string, reading: Reading): boolean {
  if (letter === 'l') reading.user ??= value;
  else if (letter === 'p') reading.port ??= value;
  else if (letter === 'o') return readSetting(value, reading);
  else reading.complete = false;
  return true;
}

/** One `-o Key=value` or `-o "Key value"`, `ssh_config(5)`. */
function readSetting(setting: string, reading: Reading): boolean {
  const match = /^\s*(?<key>[A-Za-z0-9]+)(?:\s*=\s*|\s+)"?(?<value>[^"]*?)"?\s*$/u.exec(setting);
  const key = match?.groups?.['key']?.toLowerCase();
  const value = match?.groups?.['value'];
  if (key === undefined || value === undefined || value === '') return false;
  if (key === 'user') reading.user ??= value;
  else if (key === 'port') reading.port ??= value;
  else if (key === 'hostname') reading.hostName ??= value;
  else if (!quietSettings.has(key)) reading.complete = false;
  return true;
}

/** `host`, `user@host` or `ssh://[user@]host[:port]`. */
function readHost(operand: string, reading: Reading): boolean {
  const uri = /^ssh:\/\/(?:(?<user>[^@/]*)@)?(?<host>\[[^\]]+\]|[^:/@]+)(?::(?<port>\d+))?\/?$/u.exec(
    operand,
  );
  if (operand.startsWith('ssh://')) {
    const host = uri?.groups?.['host'];
    if (host === undefined) return false;
    reading.host = host.replace(/^\[|\]$/gu, '');
    setFirst(reading, uri?.groups?.['user'], uri?.groups?.['port']);
    return true;
  }
  const at = operand.lastIndexOf('@');
  if (at === 0) return false;
  reading.host = operand.slice(at + 1);
  setFirst(reading, at === -1 ? undefined : operand.slice(0, at), undefined);
  return reading.host !== '';
}

function setFirst(reading: Reading, user: string | undefined, port: string | undefined): void {
  if (user !== undefined && user !== '') reading.user ??= user;
  if (port !== undefined) reading.port ??= port;
}
