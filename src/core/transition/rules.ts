/** Why something was denied or refused. The wire's list in `protocol/desk.ts` is checked against this one. */
export type Rule =
  | 'denied by reviewer'
  | 'contained by reviewer'
  | 'no answer in time'
  | 'no reviewer connected'
  | 'caller went away'
  | 'desk lost'
  | 'record could not be written'
  | 'arguments unreadable'
  | 'arguments too large'
  | 'program unreadable'
  | 'memory-only or deleted file'
  | 'program differs from what was judged'
  | 'family is ending';
