/**
 * Which variables of the client's environment a family receives (DESIGN §1, invariant 6): those of a list, and what
 * a configuration names. Everything else stays with the client and is named, so that it can be passed on purpose.
 */
import { secretSign } from '../redaction/secretVariable.ts';

export interface FamilyEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names passed on from the client, sorted. */
  readonly passed: readonly string[];
  /** Names that the configuration sets on purpose, sorted. */
  readonly configured: readonly string[];
  /** Those of `configured` that look like a credential by name or value, sorted. */
  readonly credentials: readonly string[];
  /** Names kept away from the family, sorted. */
  readonly dropped: readonly string[];
  /** Those of `dropped` that look like a credential by name or value, sorted. */
  readonly secrets: readonly string[];
}

/** The editor's and Kinwatch's own variables: control sockets, session tokens, run modes. */
const internal =
  /^(?:VSCODE_|ELECTRON_|KINWATCH_|CODE_SERVER_|CURSOR_|WINDSURF_|CLAUDECODE$|CLAUDE_CODE_|CODEX_|CHROME_DESKTOP$)/u;

/** True for a variable that never reaches a server from its client, not even by name. */
export function isInternal(name: string): boolean {
  return internal.test(name);
}

/**
 * Folders and files. Never judged by their look: a long path is no secret.
 * - what the protocol's own clients pass: HOME, PATH, SHELL …; where programs keep their files
 * - where runtimes live: a `node` or `python` found in PATH is often a script that needs them to find the real one
 * - certificates of the network: behind a company's proxy nothing connects without them
 */
const places = names(`
  HOME PATH SHELL TMPDIR TMP TEMP
  XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR XDG_CONFIG_DIRS XDG_DATA_DIRS
  NVM_DIR NVM_BIN FNM_DIR FNM_MULTISHELL_PATH VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR N_PREFIX PNPM_HOME
  BUN_INSTALL DENO_INSTALL DENO_DIR PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX UV_CACHE_DIR RBENV_ROOT GEM_HOME GOPATH GOROOT
  CARGO_HOME RUSTUP_HOME JAVA_HOME DOTNET_ROOT HOMEBREW_PREFIX LOCALE_ARCHIVE NIX_PROFILES
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO NIX_SSL_CERT_FILE
`);

/**
 * Words. Kept back when one looks like a credential: a proxy's address may hold a password.
 * Not on the list, though common: what loads code (NODE_OPTIONS, LD_*, PYTHONPATH), what lends authority
 * (SSH_AUTH_SOCK, DBUS_SESSION_BUS_ADDRESS, DISPLAY, DOCKER_HOST), and the working directory's name (PWD), which is
 * the client's and not the server's.
 */
const words = names(`
  USER LOGNAME TERM COLORTERM NO_COLOR FORCE_COLOR LANG LANGUAGE TZ
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/u).filter((name) => name !== ''));
}

/**
 * @param inherited the client's variables.
 * @param configured what a configuration names on purpose; passes even when it looks like a secret.
 */
export function familyEnvironment(
  inherited: ReadonlyMap<string, string>,
  configured: Readonly<Record<string, string>>,
): FamilyEnvironment {
  // Not by assignment to an object: a variable may be called `__proto__`.
  const variables = new Map<string, string>();
  const passed: string[] = [];
  const dropped: string[] = [];
  const secrets: string[] = [];
  for (const [name, value] of inherited) {
    if (Object.hasOwn(configured, name)) continue;
    const looksSecret = !places.has(name) && secretSign(name, value) !== undefined;
    if (looksSecret) secrets.push(name);
    if (looksSecret || !isListed(name)) {
      dropped.push(name);
      continue;
    }
    passed.push(name);
    variables.set(name, value);
  }
  return {
    variables: Object.fromEntries([...variables, ...Object.entries(configured)]),
    passed: passed.toSorted(),
    configured: Object.keys(configured).toSorted(),
    credentials: Object.entries(configured)
      .filter(([name, value]) => !places.has(name) && secretSign(name, value) !== undefined)
      .map(([name]) => name)
      .toSorted(),
    dropped: dropped.toSorted(),
    secrets: secrets.toSorted(),
  };
}

function isListed(name: string): boolean {
  return places.has(name) || words.has(name) || /^LC_[A-Z]+$/u.test(name);
}
