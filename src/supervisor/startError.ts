/** A start that cannot be: what is wrong and the next step. Nothing was launched. */
export class StartError extends Error {
  override readonly name = 'StartError';
  constructor(
    readonly code: 'usage' | 'cannot run',
    message: string,
    options?: { cause: unknown },
  ) {
    super(message, options);
  }

  /** DESIGN §7: 2 usage, 3 could not run. */
  get exitCode(): number {
    return this.code === 'usage' ? 2 : 3;
  }
}
