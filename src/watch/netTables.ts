/** Who listens where: `/proc/PID/net/{tcp,tcp6,udp,udp6,unix}` (`proc_pid_net(5)`), in that process's network namespace. */
import { readdir, readlink } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { readExe } from './proc.ts';

/** `TCP_LISTEN`, and `TCP_CLOSE` of a datagram socket that is not connected. */
const serving = { tcp: '0A', udp: '07' } as const;

/**
 * Sockets that would be reached at this port of this machine. A connection to any of its addresses reaches those
 * bound to that address or to all.
 *
 * @param address canonical text.
 */
export function inetSockets(pid: number, transport: 'tcp' | 'udp', address: string, port: number): string[] {
  const wanted = hexOf(address);
  const found: string[] = [];
  for (const table of [transport, `${transport}6`]) {
    for (const line of linesOf(`/proc/${pid}/net/${table}`)) {
      const fields = line.trim().split(/\s+/u);
      const [local = '', , state] = fields.slice(1, 4);
      const [host = '', hexPort = ''] = local.split(':');
      if (state !== serving[transport] || Number.parseInt(hexPort, 16) !== port) continue;
      const isAny = /^0+$/u.test(host);
      if ((isAny || wanted.includes(host)) && fields[9] !== undefined) found.push(fields[9]);
    }
  }
  return found;
}

/** Sockets bound to that path, or to that abstract name written with a leading `@`. */
export function unixSockets(pid: number, path: string): string[] {
  const found: string[] = [];
  for (const line of linesOf(`/proc/${pid}/net/unix`)) {
    // Num RefCount Protocol Flags Type St Inode Path; a path may hold blanks.
    const [, inode, name] = /^\S+ \S+ \S+ \S+ \S+ \S+ +(\d+)(?: (.*))?$/u.exec(line) ?? [];
    if (inode !== undefined && name === path) found.push(inode);
  }
  return found;
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(1);
  } catch {
    return []; // gone, or no IPv6 here
  }
}

/** As the tables write it: groups of four bytes, each in the machine's order. Both forms of an IPv4 address. */
function hexOf(address: string): string[] {
  const v4 = address.split('.');
  if (v4.length === 4) {
    const word = hexWord(v4.map(Number));
    return [word, `0000000000000000FFFF0000${word}`];
  }
  return [
    bytesOf6(address)
      .map((word) => hexWord(word))
      .join(''),
  ];
}

function hexWord(bytes: readonly number[]): string {
  const word = Buffer.from(bytes).readUInt32LE(0);
  return word.toString(16).toUpperCase().padStart(8, '0');
}

function bytesOf6(address: string): number[][] {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const middle = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0);
  const all = [...left, ...middle, ...right];
  return [0, 2, 4, 6].map((at) =>
    [all[at] ?? 0, all[at + 1] ?? 0].flatMap((group) => [group >> 8, group & 0xff]),
  );
}

/** Processes looked through for the owner of a socket. */
const mostProcesses = 2000;

/** The program that holds one of these sockets; undefined when none of this user's does. */
export async function holderOf(inodes: readonly string[]): Promise<string | undefined> {
  if (inodes.length === 0) return undefined;
  const wanted = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name)).slice(0, mostProcesses);
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`;
    const numbers = await readdir(folder).catch(() => []); // another user's, or gone
    for (const number of numbers) {
      const link = await readlink(`${folder}/${number}`).catch(() => '');
      if (wanted.has(link)) return readExe(Number(pid));
    }
  }
  return undefined;
}
