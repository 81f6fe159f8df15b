/**
 * The numbers of the desk's wire that every end needs. They stand apart from the schemas: loading those takes longer
 * than anything else that a session's start waits for.
 */

/** Peers with another number are refused, with what to restart. */
export const protocolVersion = 1;
/** Longest line accepted by the desk. */
export const maxLineBytes = 1024 * 1024;
/** Between two signs of life of a running family's supervisor. */
export const heartbeatMs = 2000;
