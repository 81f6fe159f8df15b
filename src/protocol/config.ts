/** `servers.jsonc`: which servers Kinwatch may launch by name. Written by a human, outside every workspace. */
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import * as z from 'zod';

const serverName = z
  .string()
  .regex(/^[\w.@-][\w .@-]{0,63}$/u, 'a name has 1 to 64 letters, digits, spaces or . _ - @');

/** The longest wait in seconds: a session that is to end must end. */
const mostSeconds = 600;
const seconds = z
  .number(`seconds, from 0 to ${mostSeconds}`)
  .min(0, `at least 0 seconds`)
  .max(mostSeconds, `at most ${mostSeconds} seconds`);

/**
 * `${NAME}`, `${env:NAME}` and `${NAME:-default}` in `command`, `args`, `cwd` and the values of `env` stand for
 * variables of the client (`core/policy/variables.ts`).
 */
const entryFields = z.strictObject({
  /**
   * Program to launch: a name looked up in PATH, an absolute path, or a path relative to `cwd`, without `cwd` to the
   * folder of `servers.jsonc`. No shell, no `~`.
   */
  command: z.string().min(1, 'the command is empty'),
  args: z.array(z.string()).default([]),
  /** Working directory, absolute. Absent: the client's own. */
  cwd: z.string().exactOptional(),
  /** Variables the server receives on purpose; a secret among them passes and the card says so. */
  env: z.record(z.string(), z.string()).default({}),
  /**
   * `login shell`: PATH is that of the user's login shell, read at each start. Absent: the client's PATH, or the one
   * in `env`.
   */
  path: z.literal('login shell', 'it takes "login shell"; a PATH of your own goes into env').exactOptional(),
  /** `ask`: each new destination is asked. `none`: the family gets no socket of IP, not even to this machine. */
  network: z.enum(['ask', 'none']).default('ask'),
  /**
   * `process namespace`: the server and what it starts end with the supervisor, even when that is killed, and see no other
   * processes' numbers; the start is refused where the system does not permit it. Absent: none of its own.
   */
  isolation: z.literal('process namespace', 'it takes "process namespace"').exactOptional(),
  /** How long an orderly end waits. Absent, here or inside: 5 s and 2 s, which lets browsers close. */
  end: z
    .strictObject({
      /** From closing the server's stdin to SIGTERM. */
      closeSeconds: seconds.exactOptional(),
      /** From SIGTERM to SIGKILL. */
      termSeconds: seconds.exactOptional(),
    })
    .exactOptional(),
});

export const serverEntry = entryFields.refine(
  ({ path, env }) => path === undefined || !Object.hasOwn(env, 'PATH'),
  {
    path: ['path'],
    error: 'PATH is in env too; keep one of the two',
  },
);
export type ServerEntry = z.infer<typeof serverEntry>;

const serversFile = z.strictObject({
  $schema: z.string().exactOptional(),
  servers: z.record(serverName, serverEntry),
});

export type ServersResult =
  | { readonly kind: 'servers'; readonly servers: ReadonlyMap<string, ServerEntry> }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Reads the text of `servers.jsonc`. The reason names the place and what stands there. */
export function parseServers(text: string): ServersResult {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    return { kind: 'invalid', reason: `line ${line}: ${printParseErrorCode(first.error)}` };
  }
  const parsed = serversFile.safeParse(value);
  if (parsed.success) return { kind: 'servers', servers: new Map(Object.entries(parsed.data.servers)) };
  const issue = parsed.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? 'the file' : issue.path.join('.');
  return { kind: 'invalid', reason: `${place}: ${issue?.message ?? 'not valid'}` };
}
