/**
 * The panel's wire, between the extension host and the webview. The host sends the whole state after `ready`
 * and whenever it changes; the webview keeps nothing of its own but what is expanded and focused.
 */
import * as z from 'zod';
import { certificate, choice, question, rule, sessionView } from './desk.ts';
import { time } from './facts.ts';
import { openFiles } from './openFiles.ts';

/** How an asked question ended, kept beside it until its card leaves the view. */
const ending = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('answered'), choice, at: time }),
  z.strictObject({ kind: z.literal('withdrawn'), reason: z.string(), at: time }),
]);

export const panelQuestion = z.strictObject({
  question,
  /** Absent while it waits. */
  ending: ending.exactOptional(),
});
export type PanelQuestion = z.infer<typeof panelQuestion>;

export const panelRefusal = z.strictObject({
  session: z.string().exactOptional(),
  rule,
  text: z.string(),
  at: time,
});
export type PanelRefusal = z.infer<typeof panelRefusal>;

export const deskState = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('connecting') }),
  z.strictObject({ kind: z.literal('connected') }),
  /** `familiesEndAt`: when the supervisors contain on their own unless the desk returns. */
  z.strictObject({ kind: z.literal('lost'), since: time, familiesEndAt: time }),
  /** The desk answered and refused this editor; `reason` says why and what to do. */
  z.strictObject({ kind: z.literal('refused'), reason: z.string() }),
  /** It could not be started; `reason` says why and what to do. */
  z.strictObject({ kind: z.literal('failed'), reason: z.string() }),
]);
export type DeskState = z.infer<typeof deskState>;

export const panelState = z.strictObject({
  desk: deskState,
  /** True in Restricted Mode. */
  restricted: z.boolean(),
  /** Servers of the user's `servers.jsonc`. */
  servers: z.array(z.strictObject({ name: z.string(), command: z.string() })),
  /** Why `servers.jsonc` could not be used. Absent when it could, or when there is none. */
  serversError: z.string().exactOptional(),
  /** Servers that this workspace proposes in `.vscode/mcp.json`; never started by Kinwatch. */
  proposals: z.array(z.string()),
  questions: z.array(panelQuestion),
  sessions: z.array(sessionView),
  refusals: z.array(panelRefusal),
  certificates: z.array(certificate),
  /** Looks at open files, the newest of each process. */
  openFiles: z.array(openFiles),
});
export type PanelState = z.infer<typeof panelState>;

export const toPanel = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('state'), state: panelState, now: time }),
  /** Moves to a question's card or a process's row without taking the keyboard focus. */
  z.strictObject({ kind: z.literal('reveal'), question: z.string() }),
]);
export type ToPanel = z.infer<typeof toPanel>;

export const fromPanel = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('answer'), id: z.string(), choice }),
  z.strictObject({ kind: z.literal('contain'), session: z.string() }),
  z.strictObject({ kind: z.literal('stopProcess'), session: z.string(), pid: z.int(), startedAt: time }),
  z.strictObject({ kind: z.literal('openFiles'), session: z.string(), pid: z.int(), startedAt: time }),
  z.strictObject({ kind: z.literal('copy'), text: z.string() }),
  z.strictObject({ kind: z.literal('startServer') }),
  z.strictObject({ kind: z.literal('openServers') }),
  /** Opens the evidence folder named in a certificate of this state. */
  z.strictObject({ kind: z.literal('openEvidence'), session: z.string() }),
]);
export type FromPanel = z.infer<typeof fromPanel>;
