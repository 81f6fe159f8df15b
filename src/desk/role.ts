/** What a connection and the role it speaks in know of each other. */
import type { Refused, Rule } from '../protocol/desk.ts';
import type { Peer } from './peer.ts';

export interface RolePort {
  readonly peer: Peer;
  send(message: { readonly kind: string }): void;
  /** Records the refusal, says why and closes. */
  refuse(what: Refused, rule: Rule, text: string): void;
  /** What came was no message of this role. Records it, says why and closes. */
  malformed(text: string): void;
}

export interface RoleHandler {
  message(value: unknown): void;
  closed(): void;
}
