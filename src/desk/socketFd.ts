/** The one place that knows where Node keeps a socket's descriptor. */
import type { Socket } from 'node:net';

/** @throws TypeError when the socket has none (it is closed, or Node changed). */
export function socketFd(socket: Socket): number {
  const handle = (socket as unknown as { readonly _handle?: { readonly fd?: number } | null })._handle;
  const fd = handle?.fd;
  if (fd === undefined || fd < 0) throw new TypeError('the socket has no descriptor');
  return fd;
}
