/** Schemas of the facts that travel on the desk's wire, checked against the shapes of `core/facts.ts`. */
import * as z from 'zod';
import type {
  Argument,
  ClientFacts,
  ConnectionFacts,
  Endpoint,
  ExecFacts,
  FileFacts,
  InlineCode,
  PathEntry,
  ProgramFacts,
  RequestRef,
  SocketAction,
  StartFacts,
  Transport,
} from '../core/facts.ts';

const pid = z.int().positive();
/** RFC 3339 UTC with milliseconds. */
export const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
export const startTicks = z.int().nonnegative();

export const argument: z.ZodType<Argument> = z.union([z.string(), z.strictObject({ base64: z.base64() })]);

export const attribution = z.enum(['certain', 'one-of', 'outside']);

export const requestRef = z.strictObject({
  number: z.int().positive(),
  method: z.string(),
  tool: z.string().exactOptional(),
  attribution,
}) satisfies z.ZodType<RequestRef>;

const fileFacts = z.strictObject({
  path: z.string(),
  device: z.string(),
  inode: z.string(),
  sizeBytes: z.number(),
  ownerUid: z.int(),
  mode: z.int(),
  digest: z.string().exactOptional(),
  writable: z.boolean(),
}) satisfies z.ZodType<FileFacts>;

const inlineCode = z.strictObject({ option: z.string(), text: z.string() }) satisfies z.ZodType<InlineCode>;

export const programFacts = z.strictObject({
  executable: fileFacts,
  script: fileFacts.exactOptional(),
  inline: inlineCode.exactOptional(),
  codeOnStdin: z.boolean().exactOptional(),
  package: z.string().exactOptional(),
  environment: z.array(argument).readonly().exactOptional(),
}) satisfies z.ZodType<ProgramFacts>;

export const clientFacts = z.strictObject({
  pid,
  startTicks,
  startedAt: time,
  exe: z.string().exactOptional(),
  argv: z.array(argument).readonly(),
  claims: z.strictObject({ name: z.string(), version: z.string() }).exactOptional(),
}) satisfies z.ZodType<ClientFacts>;

const pathEntry = z.strictObject({
  entry: z.string(),
  directory: z.string(),
  exists: z.boolean(),
  writableBy: z.enum(['everyone', 'user', 'nobody']),
  hides: z.array(z.string()).readonly(),
}) satisfies z.ZodType<PathEntry>;

export const startFacts = z.strictObject({
  server: z.string(),
  source: z.string(),
  user: z.string(),
  host: z.string(),
  command: z.string(),
  argv: z.array(z.string()).readonly(),
  resolution: z.string(),
  program: programFacts,
  cwd: z.string(),
  environment: z.strictObject({
    passed: z.array(z.string()).readonly(),
    configured: z.array(z.string()).readonly(),
    credentials: z.array(z.string()).readonly(),
    dropped: z.array(z.string()).readonly(),
    secrets: z.array(z.string()).readonly(),
    path: z.string(),
    pathFrom: z.string(),
    search: z.array(pathEntry).readonly(),
    home: z.string(),
    tmpdir: z.string(),
  }),
  client: clientFacts,
  overrides: z.array(z.string()).readonly(),
  launchers: z.array(z.string()).readonly().exactOptional(),
  network: z.literal('none').exactOptional(),
}) satisfies z.ZodType<StartFacts>;

export const execFacts = z.strictObject({
  pid,
  startedAt: time,
  ppid: z.int().nonnegative(),
  parentExe: z.string().exactOptional(),
  user: z.string(),
  requested: z.string(),
  argv: z.array(argument).readonly(),
  argvUnreadBytes: z.int().nonnegative(),
  cwd: z.string(),
  program: programFacts,
  request: requestRef.exactOptional(),
  requestArguments: z.string().exactOptional(),
}) satisfies z.ZodType<ExecFacts>;

export const endpoint: z.ZodType<Endpoint> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('inet'), address: z.string(), port: z.int().min(0).max(65_535) }),
  z.strictObject({ kind: z.literal('unix'), path: z.string() }),
  z.strictObject({ kind: z.literal('abstract'), name: z.string() }),
]);
export const socketAction = z.enum(['connect', 'send', 'listen']) satisfies z.ZodType<SocketAction>;
export const transport = z.enum(['tcp', 'udp', 'icmp', 'unix']) satisfies z.ZodType<Transport>;
/** As `errno(3)` names it: `ECONNREFUSED`. */
export const errnoName = z.string().regex(/^E[A-Z0-9]+$/u);

export const connectionFacts = z.strictObject({
  pid,
  startedAt: time,
  ppid: z.int().nonnegative(),
  user: z.string(),
  action: socketAction,
  transport,
  endpoint,
  host: z.string().exactOptional(),
  listener: z.string().exactOptional(),
  argv: z.array(argument).readonly(),
  cwd: z.string(),
  program: programFacts,
  request: requestRef.exactOptional(),
  requestArguments: z.string().exactOptional(),
}) satisfies z.ZodType<ConnectionFacts>;
