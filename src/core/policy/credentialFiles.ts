/**
 * Files that usually hold credentials, told by their names; a few need a look at their beginning, because most files
 * of that name hold none. Only whether a mark is there is asked, never what stands behind it.
 */

const certain: readonly RegExp[] = [
  /^\.env(?:rc|\..+)?$/u,
  /.\.env$/u,
  /^[._]netrc$/u,
  /^\.(?:pypirc|pgpass|git-credentials|vault-token|dockercfg|htpasswd|s3cfg|boto|my\.cnf|esmtprc|msmtprc)$/u,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/u,
  /\.(?:ppk|p12|pfx|jks|keystore|kdbx|tfstate)$/u,
  /^(?:credentials|token|tokens|secrets?|client_secret.*|service[-_]?account.*|application_default_credentials)\.(?:json|ya?ml|toml|ini)$/u,
  /^kubeconfig$/u,
];

/** Samples that are checked in so that people know what to fill in. */
const sample = /(?:^|[.\-_])(?:example|sample|template|tmpl|dist|defaults?|test|schema)(?:$|\.)/u;

const inFolder: Readonly<Record<string, RegExp>> = {
  '.aws': /^credentials$/u,
  '.kube': /^config$/u,
};

const byBeginning: readonly (readonly [name: RegExp, mark: RegExp])[] = [
  [/\.(?:pem|key)$/u, /PRIVATE KEY-----/u],
  [/^\.npmrc$/u, /(?:_authToken|_auth|_password)\s*=\s*["']?[^\s$"']/u],
  [/^\.yarnrc\.yml$/u, /npmAuth(?:Token|Ident):\s*["']?[^\s$"']/u],
];

/** What a file's name says: `look` when {@link marksCredential} must see its beginning. */
export function credentialName(name: string, folder: string): 'credential' | 'look' | 'no' {
  if (sample.test(name)) return 'no';
  const here = Object.hasOwn(inFolder, folder) ? inFolder[folder] : undefined;
  if (certain.some((pattern) => pattern.test(name)) || here?.test(name) === true) return 'credential';
  return byBeginning.some(([pattern]) => pattern.test(name)) ? 'look' : 'no';
}

/** @param beginning the file's first bytes as text. */
export function marksCredential(name: string, beginning: string): boolean {
  return byBeginning.some(([pattern, mark]) => pattern.test(name) && mark.test(beginning));
}

/** Folders of other people's files, by the thousand. */
export function isSkippedFolder(name: string): boolean {
  return /^(?:node_modules|\.git|\.hg|\.venv|venv|__pycache__|site-packages)$/u.test(name);
}
