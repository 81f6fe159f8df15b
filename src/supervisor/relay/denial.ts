/**
 * A tool's result marked as denied: the one place where bytes to the client are changed. Spliced rather than
 * written anew, so that everything else in it (numbers, order, spacing) stays as the server wrote it.
 */
import type { Range } from '../../protocol/jsonrpc.ts';
import type { Result } from './message.ts';

/** The frame with `isError: true` and `text` as the first content, before what the server had there. */
export function markedDenied(frame: Buffer, result: Result, text: string): Buffer {
  const item = JSON.stringify({ type: 'text', text });
  if (!result.isObject) return replaced(frame, [{ ...result, by: `{"content":[${item}],"isError":true}` }]);
  const edits: Edit[] = [];
  const added: string[] = [];
  if (result.content?.isArray === true) {
    edits.push(insertion(frame, result.content.start, item));
  } else if (result.content !== undefined) {
    edits.push({ ...result.content, by: `[${item}]` });
  } else {
    added.push(`"content":[${item}]`);
  }
  if (result.isError !== undefined) edits.push({ ...result.isError, by: 'true' });
  else added.push('"isError":true');
  if (added.length > 0) edits.push(insertion(frame, result.start, added.join(',')));
  return replaced(frame, edits);
}

interface Edit extends Range {
  readonly by: string;
}

/** `text` as the first element or member of the container that opens at `at`. */
function insertion(frame: Buffer, at: number, text: string): Edit {
  let next = at + 1;
  while (next < frame.length && (frame[next] as number) <= 0x20) next++;
  const empty = frame[next] === 0x5d || frame[next] === 0x7d;
  return { start: at + 1, end: at + 1, by: empty ? text : `${text},` };
}

function replaced(frame: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(frame.subarray(from, edit.start), Buffer.from(edit.by));
    from = edit.end;
  }
  pieces.push(frame.subarray(from));
  return Buffer.concat(pieces);
}
