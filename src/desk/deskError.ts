/** The desk could not start, or could not do what its state needs. The message names the next step. */
export type DeskErrorCode = 'unsafe place' | 'no place' | 'state unreadable' | 'socket';

export class DeskError extends Error {
  override readonly name = 'DeskError';
  constructor(
    readonly code: DeskErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
