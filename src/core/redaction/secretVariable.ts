/**
 * Whether a variable holds a credential, by its name or by what its value looks like. A doubt counts as yes: a
 * variable that is kept back is named on the card and can be passed on purpose; one that slipped through cannot be
 * taken back. `test/core/policy/secretCorpus.ts` holds what this must and must not find.
 */
import { redact } from './redact.ts';
import { looksRandom } from './randomText.ts';

/** What gave it away. Undefined: nothing did. */
export type SecretSign = 'name' | 'value';

const always: ReadonlySet<string> = new Set(
  (
    'token secret secrets password passwords passwd passphrase pass pwd pw pat jwt bearer credential credentials creds ' +
    'cred apikey apitoken apisecret authtoken accesstoken accesskey secretkey privatekey privkey signingkey masterkey ' +
    'encryptionkey dsn cookie cookies mnemonic otp totp sas connstr htpasswd pgpass netrc webhook license licence ' +
    'pin salt pepper keytab kubeconfig authkey sshkey deploykey pgpassword'
  ).split(' '),
);

/** Words that mean a secret unless the next or the one before says otherwise. */
const unless: Readonly<Record<string, { readonly before?: RegExp; readonly after?: RegExp }>> = {
  key: {
    before:
      /^(?:public|pub|primary|foreign|sort|partition|cache|hot|host|row|shift|home|end|any|map|lookup|object|s3|idempotency|group|dedupe)$/u,
    after:
      /^(?:board|map|maps|mapping|timeout|repeat|delay|code|codes|layout|bind|bindings|server|name|type|size|format|prefix|length|count|up|down|press|ring|rotation|algorithm)$/u,
  },
  keys: {
    before: /^(?:public|primary|foreign|cache|hot|authorized|known|object|sort)$/u,
    after: /^(?:dir|server|count|only|file)$/u,
  },
  auth: {
    after:
      /^(?:sock|socket|method|methods|mode|type|provider|url|uri|host|port|enabled|disabled|required|server|domain|endpoint|strategy|backend|timeout|realm|scopes|scope|audience|callback|redirect)$/u,
  },
  tokens: {
    before: /^(?:max|min|num|total|n|context|output|input|thinking|completion|prompt|budget)$/u,
    after: /^(?:per|limit|count|max)$/u,
  },
  session: {
    before: /^(?:xdg|desktop|tmux|screen|gdm|plasma|gnome|kde|wayland|x11)$/u,
    after:
      /^(?:id|type|name|mode|class|manager|desktop|timeout|ttl|dir|path|slice|store|driver|lifetime|count|sock|socket|scope|seat|leader|bus|start|window)$/u,
  },
};

/** What only says how a secret is handled, standing last. */
const aboutIt =
  /^(?:ttl|timeout|expiry|expires|expiration|lifetime|length|len|size|limit|count|type|policy|enabled|disabled|required|url|uri|endpoint|host|port|store|dir|directory|prefix|header|helper|provider|name|algorithm|algo|rounds|cost|issuer|audience|parallelism|budget|window|manager|backend|rotation|hint|prompt|format|encoding|usage|chars|charset|complexity|attempts|retries|domain|samesite|secure|path|region|version|field|column|user|username|min|max|days|hours|minutes|seconds)$/u;

/** Secrets all the same, though the last word is one of the above. */
const wholeNames = /(?:slack_?webhook|discord_?webhook|connection_?string)/iu;

function words(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/gu, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/u)
    .filter((word) => word !== '');
}

/** True when a variable of this name is expected to hold a credential, whatever its value. */
export function namesSecret(name: string): boolean {
  if (/^(?:OLD)?PWD$|^(?:GIT|SSH|SUDO)_ASKPASS$|^SSH_AUTH_SOCK$/u.test(name)) return false;
  const all = words(name);
  const last = all.at(-1) ?? '';
  if (wholeNames.test(name)) return true;
  if (all.length > 1 && aboutIt.test(last)) return false;
  return all.some((word, index) => {
    if (always.has(word)) return true;
    // Written together: `mytoken`, `dbpassword`.
    if (/(?:token|secret|password|passwd|passphrase|apikey|credentials?)$/u.test(word)) return true;
    const rule = Object.hasOwn(unless, word) ? unless[word] : undefined;
    if (rule === undefined) return false;
    return (
      !(rule.before?.test(all[index - 1] ?? '') ?? false) &&
      !(rule.after?.test(all[index + 1] ?? '') ?? false)
    );
  });
}

/** @returns what gave a secret away; undefined when it looks like ordinary configuration. */
export function secretSign(name: string, value: string): SecretSign | undefined {
  if (value === '') return undefined;
  if (namesSecret(name) && !isSwitch(value)) return 'name';
  if (redact(`${name}=${value}`) !== `${name}=${value}` && redact(value) !== value) return 'value';
  return looksRandom(name, value) ? 'value' : undefined;
}

function isSwitch(value: string): boolean {
  return /^(?:true|false|yes|no|on|off|none|null|undefined|0|1)$/iu.test(value);
}
