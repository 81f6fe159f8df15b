/** What a held thing is: all that differs between a program and a connection. One path serves both (approvals.ts). */
import type { Card, ExecContext } from '../../core/consequence/card.ts';
import type { ConnectionFacts, ExecFacts } from '../../core/facts.ts';
import type { Refused, Rule, Transition } from '../../protocol/desk.ts';

export interface Matter {
  readonly facts: ExecFacts | ConnectionFacts;
  /** Its question's, and its decision's where nothing was asked. */
  readonly transition: Transition;
  /** What a refusal of it is about. */
  readonly what: Refused;
  /** Of its decision's record. */
  readonly subject: { readonly subject: string; readonly digest?: string };
  /** Same value in one session: an allow for the session counts. Undefined: asked each time. */
  readonly grant: string | undefined;
  /** Same value in one session: joins the open question. Undefined: always a question of its own. */
  readonly joins: string | undefined;
  /** One address of a name. Undefined: it leads nowhere by name. */
  readonly address: { readonly destination: string; readonly address: string } | undefined;

  card(context: ExecContext): Card;
  /** For the record and the supervisor. */
  allowed(scope: 'once' | 'session'): string;
  /** For the agent. */
  denied(rule: Rule): string;
  /** Shows that it waits. */
  held(): void;
  /** Shows how it was answered. @param refusedBy undefined: it goes on. */
  answered(refusedBy: Rule | undefined): void;
}
