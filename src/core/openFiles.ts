/** What a process has open, as far as it matters to a person. */

/** Why an open file is of note. */
export type OpenFileNote = 'credentials' | 'project' | 'temporary';

export interface OpenFile {
  /** As the process's own file system names it. */
  readonly path: string;
  readonly note: OpenFileNote;
  readonly access: 'read' | 'write' | 'read and write' | 'unknown';
  /** Descriptors of it with this access. */
  readonly descriptors: number;
  /** Its name is gone. */
  readonly deleted: boolean;
}

/** A look on demand; true for that moment only. */
export type OpenFilesFound =
  | {
      readonly kind: 'read';
      readonly cwd?: string;
      /** The program's own file, its text. */
      readonly exe?: string;
      readonly files: readonly OpenFile[];
      readonly sockets: number;
      readonly pipes: number;
      /** Open files that are none of these: devices, libraries, the system's files. */
      readonly others: number;
      /** Descriptors and files that are not listed because there are too many. */
      readonly unlisted: number;
    }
  /** `reason`: it has ended, or may not be read. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface OpenFilePlaces {
  /** Absolute, real. */
  readonly projects: readonly string[];
  /** Absolute, real. */
  readonly temporary: readonly string[];
  /** Undefined when the user has none. */
  readonly home: string | undefined;
}

/** Where credentials lie in a home; a name stands for the file, or for everything below the folder. */
const credentials = `
  .ssh, .aws, .azure, .gnupg, .kube
  .password-store, .config/gh, .config/gcloud, .config/op, .config/kinwatch
  .local/share/keyrings, .local/share/kwalletd, .docker/config.json, .netrc, .git-credentials
  .config/git/credentials, .npmrc, .pypirc, .vault-token, .cargo/credentials
  .cargo/credentials.toml, .codex/auth.json, .claude/.credentials.json, .mozilla, .config/google-chrome
  .config/chromium, .config/BraveSoftware, .config/microsoft-edge, .config/vivaldi, .config/opera
  snap/firefox, snap/chromium, .thunderbird, Library/Keychains, Library/Application Support/Google/Chrome
  Library/Application Support/Firefox, Library/Cookies, Library/Safari
`
  .split(/[,\n]/u)
  .map((name) => name.trim())
  .filter((name) => name !== '');

/** Undefined: not of note. Credentials first: also inside a project they are that before anything else. */
export function noteOf(
  path: string,
  { projects, temporary, home }: OpenFilePlaces,
): OpenFileNote | undefined {
  if (home !== undefined && credentials.some((name) => isWithin(path, `${home}/${name}`)))
    return 'credentials';
  if (/\/\.env(?:\.[^/]*)?$/u.test(path)) return 'credentials';
  if (projects.some((folder) => folder !== '/' && isWithin(path, folder))) return 'project';
  return temporary.some((folder) => isWithin(path, folder)) ? 'temporary' : undefined;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
