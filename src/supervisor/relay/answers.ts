/** The few messages that the relay writes itself, as whole lines. Ids and tokens are put in as they came. */
import type { ErrorCode, RequestId } from '../../protocol/jsonrpc.ts';

/** @param id absent: `null`, for a message whose id could not be known (JSON-RPC 2.0 §5). */
export function errorAnswer(id: RequestId | undefined, code: ErrorCode, message: string): Buffer {
  const error = JSON.stringify({ code, message });
  return Buffer.from(`{"jsonrpc":"2.0","id":${id?.raw ?? 'null'},"error":${error}}\n`);
}

export function pong(id: RequestId): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id.raw},"result":{}}\n`);
}

export function progressNotification(token: RequestId, progress: number, message: string): Buffer {
  const rest = `"progress":${JSON.stringify(progress)},"message":${JSON.stringify(message)}`;
  return Buffer.from(
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token.raw},${rest}}}\n`,
  );
}
