/** The socket a member's call names, as a duplicate of this process: `pidfd_getfd(2)`. */
import { readlinkSync } from 'node:fs';
import type { Notification } from '../../kernel/listener.ts';
import { errnos } from '../../kernel/numbers.ts';
import { closeFd } from '../../kernel/pidfd.ts';
import { duplicateFrom, networkOf, type SocketKind, socketKind } from '../../kernel/sockets.ts';
import type { Member } from './members.ts';

export interface MemberSocket {
  readonly fd: number;
  readonly kind: SocketKind;
  /** The kernel's number of the socket, as `/proc/net` lists it. */
  readonly inode: string;
  /** The network namespace it was made in, wherever its owner has moved since. */
  readonly network: bigint | undefined;
  /** Closes the duplicate; a second time does nothing. */
  readonly close: () => void;
}

/** The first argument of the call, in the calling thread's table. The errno is the caller's answer; EACCES: unreadable. */
export function openMemberSocket(
  { tid, arguments: args }: Notification,
  member: Member,
): MemberSocket | { readonly errno: number } {
  const number = Number(BigInt.asIntN(32, args[0]));
  if (number < 0) return { errno: errnos.EBADF };
  const duplicate = member.pidfd === undefined ? undefined : duplicateFrom(member.pidfd, number);
  if (duplicate?.kind !== 'value') {
    return { errno: duplicate?.errno === errnos.EBADF ? errnos.EBADF : errnos.EACCES };
  }
  const fd = duplicate.value;
  let open = true;
  const close = (): void => {
    if (open) closeFd(fd);
    open = false;
  };
  const kind = socketKind(fd);
  if ('errno' in kind) {
    close();
    return kind;
  }
  const inode = linkOf(`/proc/self/fd/${fd}`);
  // A thread may have a table of its own (`clone(2)` without CLONE_FILES); the duplicate came from the leader's.
  if (inode === undefined || (tid !== member.pid && linkOf(`/proc/${tid}/fd/${number}`) !== inode)) {
    close();
    return { errno: errnos.EACCES };
  }
  return { fd, kind, inode, network: networkOf(fd), close };
}

/** The number in `socket:[12345]`. */
function linkOf(path: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/u.exec(readlinkSync(path))?.[1];
  } catch {
    return undefined; // closed meanwhile, or unreadable
  }
}
