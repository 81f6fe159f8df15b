/**
 * What credentials look like by themselves, wherever they stand: one list for masking text and for judging
 * variables. Prefixes are those that the issuers document so that a scanner can find a lost token.
 *
 * Each shape has the secret as its only group, named `s`. Every quantifier is bounded, or begins where the run of
 * its characters begins: a family chooses this text, and a pattern that is slow on it would hold up the desk.
 */

const value = String.raw`[\w.~+/=-]`;

/** A word that says that what follows it is a secret. */
export const secretWord = String.raw`(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization)`;

/** Prefixes that nothing else begins with. */
const distinct = [
  'gh[opsur]_', // GitHub
  'github_pat_',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-', // GitLab
  'sk-', // OpenAI, Anthropic, OpenRouter, Langfuse …
  '(?:sk|rk)_(?:live|test)_', // Stripe
  'xox[abceoprs]-',
  'xapp-', // Slack
  'pypi-AgE',
  'dckr_[po]at_', // Docker
  'AIza', // Google
  'GOCSPX-',
  String.raw`ya29\.`,
  String.raw`SG\.`, // SendGrid
  'nvapi-',
  'lsv2_[ps][tk]_', // LangSmith
  'ctx7sk-',
  'do[opr]_v1_', // DigitalOcean
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.`, // Doppler
  'lin_(?:api|oauth)_', // Linear
  'PMAK-', // Postman
  'shp(?:at|ca|pa|ss)_', // Shopify
  'sq0(?:atp|csp)-', // Square
  String.raw`hv[sbr]\.`, // Vault
  'gl(?:sa|c)_', // Grafana
  'NRAK-', // New Relic
  'sntry[su]_', // Sentry
  'sb_secret_', // Supabase
  'pscale_(?:tkn|pw|oauth)_', // PlanetScale
  'AT[AC]TT3', // Atlassian
  'AGE-SECRET-KEY-1',
  'ops_eyJ', // 1Password
  'CCIPAT_', // CircleCI
  String.raw`dt0[cs]\d\d\.`, // Dynatrace
  'HRKU-', // Heroku
  String.raw`pat-(?:na|eu)\d-`, // HubSpot
  String.raw`sk\.eyJ`, // Mapbox
  'fo1_', // Fly
  'tskey-', // Tailscale
  'FLWSECK', // Flutterwave
  'ABSK', // Amazon Bedrock
].join('|');

/** Prefixes that ordinary names begin with too: one run of letters and digits, some of both, must follow. */
const common = [
  'npm_',
  'whsec_', // Stripe
  'rubygems_',
  'hf_', // Hugging Face
  'r8_', // Replicate
  'gsk_', // Groq
  'xai-',
  'pplx-', // Perplexity
  'pcsk_', // Pinecone
  'tvly-(?:dev-|prod-)?', // Tavily
  'jina_',
  'e2b_',
  'dapi', // Databricks
  'ntn_',
  'secret_', // Notion
  'fig[dor]_', // Figma
  'nfp_', // Netlify
  'vc[pkr]_', // Vercel
  'sbp_', // Supabase
  'ATBB', // Bitbucket
  'AKCp', // JFrog
  'aio_', // Adafruit
  'pul-', // Pulumi
  'pnu_', // Prefect
  'rdme_',
  'sq[pua]_', // SonarQube
  'bkua_', // Buildkite
  'phx_', // PostHog
  'cio', // crates.io
].join('|');

/** Shapes that a short text may hold. */
export const shortShapes: readonly RegExp[] = [
  new RegExp(String.raw`\b(?:bearer|basic)\s{1,8}(?<s>${value}{8,})`, 'giu'),
  // The password of a URL's user part.
  /:\/\/[^\s/@:'"]{0,256}:(?<s>[^\s/@'"$`;|&<>()]{1,256})@/gu,
  /\b(?:AccountKey|SharedAccessKey|SharedSecret|Pwd|Password)=(?<s>[^\s;'"$`|&<>()]{4,512})/giu,
  new RegExp(
    String.raw`${secretWord}[\w.-]{0,40}["']?\s{0,8}[=:]\s{0,8}["']?(?!(?:bearer|basic)\s)(?<s>${value}{6,})`,
    'giu',
  ),
];

/** Shapes with at least {@link longShape} characters. */
export const longShapes: readonly RegExp[] = [
  new RegExp(String.raw`(?<!\w)(?<s>(?:${distinct})(?:[\w-]|\.(?=[\w-])){12,}={0,2})`, 'gu'),
  new RegExp(
    String.raw`(?<!\w)(?<s>(?:${common})(?=[A-Za-z]{0,64}\d)(?=\d{0,64}[A-Za-z])[A-Za-z0-9]{20,})`,
    'gu',
  ),
  /\b(?<s>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b/gu,
  /\b(?<s>xox[abceoprs]-[\w-]{10,})/gu,
  // A JSON web token, and what is built like one.
  /(?<![\w-])(?<s>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/gu,
  // Generic prefixes count with exactly their issuer's digits behind them.
  /(?<![\w-])(?<s>key-[0-9a-f]{32}|fc-[0-9a-f]{32}|SK[0-9a-f]{32}|[0-9a-f]{32}-us\d{1,2})(?![\w-])/gu,
  /(?<![\w-])(?<s>\d{8,10}:AA[\w-]{33})(?![\w-])/gu, // Telegram
  /(?<![\w-])(?<s>[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])/gu, // Discord
  /(?<![\w-])(?<s>pat[A-Za-z0-9]{14}\.[0-9a-f]{64})(?![\w-])/gu, // Airtable
  /(?<![\w-])(?<s>[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,80})(?![\w-])/gu, // Terraform
  /(?<![\w-])(?<s>[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34})(?![\w-])/gu, // Entra ID
  /\bhooks\.slack\.com\/(?:services|workflows)\/(?<s>[\w/]{20,120})/gu,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/(?<s>\d{10,20}\/[\w-]{30,100})/gu,
  // A token in the place of a URL's user.
  /:\/\/(?<s>[A-Za-z0-9_-]{20,256})@/gu,
  // Signed requests and connection strings.
  /[?&;](?:sig|signature|X-Amz-Signature|X-Goog-Signature)=(?<s>[\w%+/=-]{16,512})/giu,
];

/** The line before a private key's text: PEM (RFC 7468), OpenPGP (RFC 9580) and PuTTY. */
export const keyHeader =
  /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:/gu;

/** `://:x@`: nothing shorter holds a shape. A family may send tens of thousands of short arguments. */
export const shortestShape = 6;
/** Shorter texts can only hold one of {@link shortShapes}. */
export const longShape = 15;

/** What every text with one of the shapes has somewhere. Most texts have none of it, and a look or two says so. */
const marks = new RegExp(
  String.raw`(?<!\w)(?:${distinct}|${common})|A[KSBC][ICA]A|xox|eyJ|:\/\/|key-|fc-|SK[0-9a-f]|-us\d|:AA|[MNO][\w-]{23,25}\.|pat[A-Za-z0-9]{14}\.|\.atlasv1|8Q~|hooks\.slack|api\/webhooks|PRIVATE KEY|PuTTY-`,
  'u',
);
const words = new RegExp(
  String.raw`(?:bearer|basic)\s|[?&;](?:sig|x-)|AccountKey=|SharedAccessKey=|Pwd=|${secretWord}`,
  'iu',
);

/** False when {@link shortShapes}, {@link longShapes} and {@link keyHeader} are not in the text for certain. */
export function mayHoldShape(text: string): boolean {
  return marks.test(text) || words.test(text);
}
