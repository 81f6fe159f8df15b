/** Every text that the command line shows to a person. */

export const messages = {
  prefix: 'kinwatch: ',
  usage: `usage: kinwatch run [--name NAME] [--cwd DIR] [--env K=V]… -- COMMAND [ARG…]
       kinwatch run NAME                    one of your servers.jsonc
       kinwatch ps [--json]                 sessions and their trees
       kinwatch contain SESSION|--all [--json]
       kinwatch doctor [--json]             what this machine can hold, and why
       kinwatch --help | --version

run supervises one MCP server on stdio: put it in front of the server's command in your client's configuration.
contain saves evidence, ends everything a session started and prints the certificate.

Exit status: 0 done, 1 the thing checked does not hold, 2 usage, 3 could not run; run returns the server's own.
KINWATCH_HOME puts configuration, state and runtime files under one directory.
`,
  unknownCommand: (name: string) => `there is no command ${JSON.stringify(name)}; try kinwatch --help`,
  notInThisVersion: (name: string) => `${name} is not in this version; update Kinwatch when it is`,
  badArguments: (reason: string) => `${reason}; try kinwatch --help`,
  noRunArguments: 'run needs a server’s name, or -- and a command',
  containWhat: 'contain needs one session, or --all; list sessions with: kinwatch ps',
  unknownSession: (session: string, known: readonly string[]) =>
    `there is no session ${JSON.stringify(session)}; ` +
    (known.length === 0 ? 'nothing runs' : `there ${known.length === 1 ? 'is' : 'are'}: ${known.join(', ')}`),
  nothingRuns: 'nothing runs under Kinwatch',
  endedWithout: (session: string) =>
    `session ${session} ended without a certificate: its server had not started`,
  containTimeout: (session: string) => `no certificate of ${session} came; look again with: kinwatch ps`,
  deskFailed: (status: string) => `the desk could not be started (${status})`,
  deskSilent: (socket: string) => `the desk was started and does not listen on ${socket}`,
  doctorFailed: (reason: string) => `the doctor did not end well: ${reason}; build or install again`,
  doctorLevel: {
    held: 'Programs and connections are held here.',
    'execs held': 'Execs held, connections refused: servers that need the network do not work here.',
    none: 'Programs cannot be held here: kinwatch run refuses every start.',
  },
  noSupervisor: (reason: string) => `the supervisor could not be started: ${reason}; build or install again`,
} as const;
