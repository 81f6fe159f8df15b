/**
 * What stops a script from going on, in words for the person who ran it: the thing that failed and the next step.
 * Scripts print `message` alone; anything else that is thrown is a bug and keeps its stack.
 */
export class SetupError extends Error {
  /**
   * @param {'install' | 'unsupported' | 'network' | 'port' | 'start' | 'access' | 'browser' | 'survivors'} code
   * @param {string} what the thing that failed, as a whole sentence
   * @param {string} nextStep what to do about it, as a whole sentence
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, what, nextStep, options) {
    super(`${what}\n  → ${nextStep}`, options);
    this.name = 'SetupError';
    this.code = code;
  }
}
