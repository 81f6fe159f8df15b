/** Every text that the editor part shows to its user, outside the panel and the cards. */

export const messages = {
  deny: 'Deny',
  allowOnce: 'Allow once',
  review: 'Review',
  goOn: 'Go on',
  openServers: 'Open configuration',
  reload: 'Reload window',
  copyPath: 'Copy path',

  severalWait: (count: number) => `${count} questions wait for your decision.`,
  tooFast: 'That answer came within 0.6 s of the question and was not counted.',
  noLongerOpen: 'This question is no longer open.',

  tokenButNew:
    'This editor was already enrolled as Kinwatch’s reviewer, yet the desk has no enrolment. Its state was ' +
    'removed or replaced. If you did not do that yourself, do not go on: another program may have.',
  tokenButNewDeclined:
    'Stopped: the desk’s enrolment was missing and you chose not to enrol again. Look at Kinwatch’s state ' +
    'folder, then reload this window to be asked again.',
  refused: (reason: string) => {
    if (!reason.includes('token')) return `The desk refused this editor: ${reason}.`;
    return (
      `The desk refused this editor: ${reason}. Another editor or account is enrolled, or this editor lost its ` +
      'token. To enrol anew, end all Kinwatch sessions, remove Kinwatch’s state folder by hand and reload this window.'
    );
  },
  otherVersion: (reason: string) =>
    `${reason}. Reload this window; if that does not help, end all Kinwatch sessions so that the running desk ` +
    'ends (60 s later), then reload again.',
  notStarted: (reason: string) => `The desk could not be started: ${reason}`,
  noPlace: (reason: string) => `Kinwatch cannot run here: ${reason}.`,
  noLauncher: (reason: string) => `Kinwatch’s launcher could not be written: ${reason}.`,
  requestFailed: (request: string, reason: string) => `${request}: ${reason}`,
  notConnected: 'Kinwatch is not connected to its desk. The panel says why.',

  noServers: 'No servers are configured. Add one to servers.jsonc first.',
  serversInvalid: (reason: string) => `servers.jsonc cannot be used: ${reason}.`,
  serversUnreadable: (reason: string) => `it could not be read (${reason})`,
  pickServer: 'Start which server under Kinwatch?',
  startFailed: (name: string, reason: string) => `${name} could not be started: ${reason}`,
  serverUnknown: (name: string) => `${name} is not in servers.jsonc.`,

  noSessions: 'Nothing runs under Kinwatch.',
  pickSession: 'Contain which session? Evidence is saved, then everything it started is ended.',
  noProcesses: 'No process runs under Kinwatch.',
  pickProcess: 'End which process?',
  running: (count: number) => `${count} running`,

  ended: (server: string, contained: boolean, survivors: number, proved: boolean) => {
    const what = `${server} ${contained ? 'was contained' : 'has ended'}`;
    if (survivors > 0)
      return `${what}, but ${survivors} of its processes may be alive. The panel says which.`;
    if (!proved) return `${what}: nothing alive was found, and the kernel’s proof is missing.`;
    return `${what}: nothing it started is alive.`;
  },
  noEvidence: 'This session has no evidence folder.',
  pickEvidence: (folder: string) => `Evidence in ${folder}`,

  statusIdle: 'Kinwatch',
  statusFamilies: (count: number) => `${count} supervised`,
  statusWaiting: (count: number) => `${count} to decide`,
  statusDeskAway: 'desk away',
  statusTooltip: 'Show the Kinwatch panel',
  badge: (count: number) => (count === 1 ? '1 question waits for you' : `${count} questions wait for you`),

  newServersFile: `// Servers that Kinwatch may launch by name. Yours alone: workspaces can only propose.
{
  "servers": {
    // "files": {
    //   "command": "npx",
    //   "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/you/project"],
    //   "cwd": "/home/you/project",
    //   "env": {}
    // }
  }
}
`,
} as const;
