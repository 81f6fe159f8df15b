/** The reviewer's token in the editor's SecretStorage: 32 random bytes, known in clear to nobody else. */
import { randomBytes } from 'node:crypto';
import type { ReviewerToken } from './deskLink.ts';

/** What is used of `vscode.SecretStorage`. */
export interface Secrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
}

const tokenKey = 'kinwatch.reviewer.token';
/** Holds the token once more after the desk has welcomed it: a token alone may never have been enrolled. */
const enrolledKey = 'kinwatch.reviewer.enrolled';
const tokenShape = /^[A-Za-z0-9_-]{43}$/u;

export function reviewerToken(secrets: Secrets): ReviewerToken {
  return {
    async read() {
      const stored = await secrets.get(tokenKey);
      if (stored !== undefined && tokenShape.test(stored)) {
        return { token: stored, wasEnrolled: (await secrets.get(enrolledKey)) === stored };
      }
      await secrets.store(tokenKey, randomBytes(32).toString('base64url'));
      // Read back: a second window may have written its own in the same moment, and one must win.
      const token = (await secrets.get(tokenKey)) ?? '';
      return { token, wasEnrolled: false };
    },
    async enrolled(token) {
      if ((await secrets.get(enrolledKey)) === token) return;
      // The enrolled token wins over one that another window wrote meanwhile.
      await secrets.store(tokenKey, token);
      await secrets.store(enrolledKey, token);
    },
  };
}
