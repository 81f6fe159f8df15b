/**
 * What the watch, the supervisor and the desk tell each other about programs, processes and requests.
 * Plain data: the wire schemas in `protocol/` are checked against these shapes.
 */

/** One argument. Valid UTF-8 is a string; anything else keeps its bytes as `{ base64 }`. */
export type Argument = string | { readonly base64: string };

/** A file as it was when it was looked at, resolved through the process's own root. */
export interface FileFacts {
  /** Real path (symbolic links resolved). */
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  readonly sizeBytes: number;
  /** Numeric owner. */
  readonly ownerUid: number;
  /** Permission bits, as in `stat(2)` (`mode & 0o7777`). */
  readonly mode: number;
  /** `sha256:<64 hex digits>`; absent when the file could not be read or is larger than the digest limit. */
  readonly digest?: string;
  /** True when the family's user may write the file or replace it in its directory. */
  readonly writable: boolean;
}

/** Code given on the command line instead of in a file (`sh -c TEXT`, `node -e TEXT`). */
export interface InlineCode {
  readonly option: string;
  readonly text: string;
}

/** Which program an exec starts: DESIGN §3, transition 1. */
export interface ProgramFacts {
  /** The executable that the kernel will load (for a script with `#!`: the interpreter). */
  readonly executable: FileFacts;
  /** The script an interpreter was given; absent when the program is no interpreter or has no script. */
  readonly script?: FileFacts;
  readonly inline?: InlineCode;
  /** True when an interpreter will read its code from standard input. */
  readonly codeOnStdin?: boolean;
  /** The name of a package runner's package (`npx NAME`), as given. */
  readonly package?: string;
  /**
   * Variables that make it load or run other code and that are not the session's own, as `NAME=value` in their order
   * (`environ(7)`). Absent: none.
   */
  readonly environment?: readonly Argument[];
}

/** The kernel's own identity of a process on one boot: pid and start time, see `proc_pid_stat(5)` field 22. */
export interface ProcessKey {
  readonly pid: number;
  readonly startTicks: number;
}

/** Which request a birth belongs to. `one-of`: several were in flight. `outside`: none was. */
export type Attribution = 'certain' | 'one-of' | 'outside';

/** One MCP request of a session, as a person refers to it: `run_test #17`. */
export interface RequestRef {
  /** Ordinal in the session, from 1. */
  readonly number: number;
  /** The JSON-RPC method. */
  readonly method: string;
  /** The tool's name for `tools/call`. */
  readonly tool?: string;
  readonly attribution: Attribution;
}

/** The process that launched the server (the shim's parent). */
export interface ClientFacts {
  readonly pid: number;
  readonly startTicks: number;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  /** Real path of its executable; absent when it could not be read. */
  readonly exe?: string;
  readonly argv: readonly Argument[];
  /** `clientInfo` of its `initialize`: its own claim, never an identity. Absent before it spoke. */
  readonly claims?: { readonly name: string; readonly version: string };
}

/** One folder of PATH as it was at the start. */
export interface PathEntry {
  /** As written. Empty means the working directory. */
  readonly entry: string;
  /** Absolute: a relative entry is resolved through the working directory. */
  readonly directory: string;
  readonly exists: boolean;
  /** `everyone`: any account of the machine may add files. `user`: the family's own may. */
  readonly writableBy: 'everyone' | 'user' | 'nobody';
  /** Programs in it that a later folder, which the user cannot write, has too. Sorted; empty in other folders. */
  readonly hides: readonly string[];
}

/** Everything the first-start card says (DESIGN §7, last paragraph). */
export interface StartFacts {
  readonly server: string;
  /** Where the command came from: the path of `servers.jsonc`, or `command line`. */
  readonly source: string;
  readonly user: string;
  /** The machine it runs on, in words: `devbox`, `devbox (a container)`. */
  readonly host: string;
  /** The command as configured, before it was resolved. */
  readonly command: string;
  /** Resolved argument vector, `argv[0]` being the command as given. */
  readonly argv: readonly string[];
  /** How the command's name led to the file. */
  readonly resolution: string;
  /** The program and, behind it, each interpreter or launcher resolved beforehand. */
  readonly program: ProgramFacts;
  readonly cwd: string;
  readonly environment: {
    /** Names passed on from the client, sorted. */
    readonly passed: readonly string[];
    /** Names set by the configuration on purpose, sorted. */
    readonly configured: readonly string[];
    /** Those of `configured` that look like a credential, sorted. */
    readonly credentials: readonly string[];
    /** Names that stay with the client, sorted. */
    readonly dropped: readonly string[];
    /** Those of `dropped` that look like a credential, sorted. */
    readonly secrets: readonly string[];
    readonly path: string;
    /** Whose PATH it is, in words: `the client`, `the configuration`, `the login shell /bin/bash`. */
    readonly pathFrom: string;
    /** The folders of `path`, in order. */
    readonly search: readonly PathEntry[];
    readonly home: string;
    readonly tmpdir: string;
  };
  readonly client: ClientFacts;
  /** Overrides in force, in words (`KINWATCH_HOME=/tmp/x`). Empty when there are none. */
  readonly overrides: readonly string[];
  /** What launches the command in a process namespace of its own, with its arguments. Absent: nothing does. */
  readonly launchers?: readonly string[];
  /** `none`: the family gets no socket of IP. Absent: each new destination is asked. */
  readonly network?: 'none';
}

/** Where a socket call leads, or where it will be heard. */
export type Endpoint =
  /** Canonical text of an IPv4 or IPv6 address, with its zone where it has one. Port 0: the system chooses. */
  | { readonly kind: 'inet'; readonly address: string; readonly port: number }
  /** Absolute path of a unix socket's file, symbolic links resolved. */
  | { readonly kind: 'unix'; readonly path: string }
  /** A name in the abstract namespace, without its leading NUL: `unix(7)`. */
  | { readonly kind: 'abstract'; readonly name: string };

/** `connect` and `send` reach out, `listen` waits to be reached. */
export type SocketAction = 'connect' | 'send' | 'listen';
export type Transport = 'tcp' | 'udp' | 'icmp' | 'unix';

/** Everything the card of a connection says. */
export interface ConnectionFacts {
  readonly pid: number;
  readonly startedAt: string;
  readonly ppid: number;
  readonly user: string;
  readonly action: SocketAction;
  readonly transport: Transport;
  readonly endpoint: Endpoint;
  /** The host that the program's arguments name and that resolves to the address; absent when none does. */
  readonly host?: string;
  /** Real path of the program that listens there on this machine; absent when none does or it can't be read. */
  readonly listener?: string;
  /** What the process runs: as it was when it was started. */
  readonly argv: readonly Argument[];
  readonly cwd: string;
  readonly program: ProgramFacts;
  readonly request?: RequestRef;
  /** The request's arguments in full, as JSON text; absent outside a request. */
  readonly requestArguments?: string;
}

/** Everything the card of a new program says. */
export interface ExecFacts {
  readonly pid: number;
  readonly startedAt: string;
  readonly ppid: number;
  /** What the process was before this exec; absent when unreadable. */
  readonly parentExe?: string;
  readonly user: string;
  /** The path that the caller gave to `execve(2)`. */
  readonly requested: string;
  readonly argv: readonly Argument[];
  /** Bytes of arguments that were not read because the vector was too large; 0 when whole. */
  readonly argvUnreadBytes: number;
  readonly cwd: string;
  readonly program: ProgramFacts;
  readonly request?: RequestRef;
  /** The request's arguments in full, as JSON text; absent outside a request. */
  readonly requestArguments?: string;
}
