/**
 * Variables that hold a credential, and variables that do not. No secret here is real: the drawn part of each is made
 * when the test runs, from a fixed seed, so that a failure repeats and no scanner finds a token in this file.
 */

export interface Sample {
  readonly name: string;
  readonly value: string;
}

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const alphabets = {
  /** Letters and digits. */
  A: lower + upper + digits,
  /** Hexadecimal. */
  x: `${digits}abcdef`,
  /** Capital letters and digits, as in base32. */
  U: `${upper}234567`,
  /** Small letters and digits. */
  l: lower + digits,
  /** base64url. */
  u: `${lower}${upper}${digits}-_`,
  /** base64. */
  b: `${lower}${upper}${digits}+/`,
  d: digits,
} as const;

/** xorshift32: the same draws in every run. */
function drawing(seed: number): (length: number, alphabet: string) => string {
  let state = seed;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return (length, alphabet) => Array.from({ length }, () => alphabet[next() % alphabet.length]).join('');
}

/** `{A20}`: twenty characters drawn from alphabet A; `␣`: a space. */
function filled(pattern: string, draw: ReturnType<typeof drawing>): string {
  return pattern.replaceAll(/\{([AxUlubd])(\d+)\}/gu, (_, kind: keyof typeof alphabets, length: string) =>
    draw(Number(length), alphabets[kind]),
  );
}

/** What issuers give out. */
const issued = `
ghp_{A36} gho_{A36} ghu_{A36} ghs_{A36} ghr_{A76} github_pat_{A22}_{A59} glpat-{u20} gldt-{u20} glrt-{u20}
glptt-{x40} glcbt-1_{u20} sk-{A48} sk-proj-{u74} sk-svcacct-{u74} sk-ant-api03-{u93}AA sk-or-v1-{x64} sk-lf-{x8}-{x4}-{x4}-{x4}-{x12}
xoxb-{d12}-{d13}-{A24} xoxp-{d12}-{d12}-{d12}-{x32} xapp-1-A{A10}-{d13}-{x64} xoxe-1-{A40}
AKIA{U16} ASIA{U16} ABSK{b109}= AIza{u35} GOCSPX-{u28} ya29.{u120} npm_{A36} pypi-AgEIcHlwaS5vcmc{u100}
sk_live_{A24} sk_test_{A24} rk_live_{A24} whsec_{A32} SG.{u22}.{u43} key-{x32} {x32}-us14 SK{x32}
hf_{A34} r8_{A37} gsk_{A52} xai-{A80} pplx-{A48} nvapi-{u64} pcsk_{A70} tvly-{A32} tvly-dev-{A32} lsv2_pt_{x32}_{x10}
lsv2_sk_{x32}_{x10} jina_{x32}{A28} ctx7sk-{x8}-{x4}-{x4}-{x4}-{x12} e2b_{x40} fc-{x32}
dop_v1_{x64} doo_v1_{x64} dor_v1_{x64} dp.pt.{A43} dp.st.dev.{A43} dapi{x32} lin_api_{A40} lin_oauth_{x64}
ntn_{d11}{A35} secret_{A43} figd_{u40} PMAK-{x24}-{x34} shpat_{x32} shpca_{x32} shppa_{x32} shpss_{x32}
sq0atp-{u22} sq0csp-{u43} hvs.{u90} hvb.{u138} glsa_{A32}_{x8} glc_{A60} NRAK-{U27} sntrys_{u120} sntryu_{x64}
fo1_{u43} nfp_{A36} vcp_{A24} sbp_{x40} sb_secret_{u31} pscale_tkn_{u43} pscale_pw_{u43} ATATT3xFfGF0{u171}={x8}
ATCTT3xFfGN0{u171}={x8} ATBB{A32} AKCp{A69} aio_{A28} AGE-SECRET-KEY-1{U58} ops_eyJ{u240} pul-{x40} pnu_{A36}
rdme_{l70} sqp_{x40} squ_{x40} sqa_{x40} bkua_{x40} CCIPAT_{A22}_{x40} dt0c01.{U24}.{U64} HRKU-{x8}-{x4}-{x4}-{x4}-{x12}
pat-na1-{x8}-{x4}-{x4}-{x4}-{x12} sk.eyJ{A60}.{A22} phx_{A43} tskey-auth-{A12}CNTRL-{A32} FLWSECK_TEST-{x32}-X
dckr_pat_{u27} dckr_oat_{u32} rubygems_{x48} cio{A32} {d10}:AA{u33} M{A23}.{A6}.{u38} pat{A14}.{x64}
{A14}.atlasv1.{u67} {A3}8Q~{A34} eyJ{A33}.eyJ{u80}.{u43} eyJ{A17}.eyJ{u200}.{u86} Bearer␣{A40} Basic␣{b40}=
`;

/** A credential inside something else. */
const carried = `
postgres://app:{A16}@db.internal:5432/app mysql://root:{l9}@127.0.0.1/shop redis://:{A20}@cache:6379/0
mongodb+srv://svc:{A14}@cluster0.example.net/prod amqps://user:{l12}@mq.example/vhost https://me:{l8}@git.example/x.git
http://proxyuser:{l10}@proxy.corp.example:3128 https://{x40}@sentry.example/42 https://ghp_{A36}@github.com/o/r.git
socks5://u:{l7}@10.0.0.1:1080 ftp://backup:{A11}@files.example https://oauth2:glpat-{u20}@gitlab.example/g/p.git
Server=tcp:db.example;Database=app;User␣ID=sa;Password={A14};Encrypt=true
DefaultEndpointsProtocol=https;AccountName=store;AccountKey={b86}==;EndpointSuffix=core.windows.net
Endpoint=sb://bus.example/;SharedAccessKeyName=Root;SharedAccessKey={b43}=
https://store.example/c/b.txt?sv=2024-01-01&se=2030-01-01&sig={A40}%3D https://hooks.slack.com/services/T{U8}/B{U10}/{A24}
https://discord.com/api/webhooks/{d18}/{u68} https://b.s3.amazonaws.com/k?X-Amz-Signature={x64}
https://api.example/v1?api_key={A32} https://api.example/v1?access_token={u40} --header=Authorization:Bearer␣{A40}
{"type":"service_account","private_key_id":"{x40}","client_secret":"{u24}"} {"auths":{"r.example":{"auth":"{b40}","password":"{A20}"}}}
token={A20} //registry.npmjs.org/:_authToken={A36} machine=h;login=l;password={A12} x-api-key:{A32} client_secret={u32}
`;

/** No prefix, no name: drawn letters alone. */
const opaque =
  '{A32} {A40} {A64} {A24} {x32} {x40} {x64} {x48} {b40} {b43}= {b86}== {u43} {u64} {u32} {A48} {A128} {l40} {l32} v1.0-{x24}-{x146} {A20}.{A40} {A10}-{A30}';

const keys = (draw: ReturnType<typeof drawing>): string[] =>
  ['RSA ', 'EC ', '', 'OPENSSH ', 'DSA ', 'ENCRYPTED '].flatMap((kind) =>
    ['\n', String.raw`\n`].map((line) => {
      const body = Array.from({ length: 12 }, () => draw(64, alphabets.b)).join(line);
      return `-----BEGIN ${kind}PRIVATE KEY-----${line}${body}${line}-----END ${kind}PRIVATE KEY-----${line}`;
    }),
  );

const names = `
GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN NPM_TOKEN NODE_AUTH_TOKEN CI_JOB_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY
GOOGLE_API_KEY AZURE_OPENAI_API_KEY MISTRAL_API_KEY GROQ_API_KEY COHERE_API_KEY HF_TOKEN HUGGING_FACE_HUB_TOKEN
REPLICATE_API_TOKEN OPENROUTER_API_KEY DEEPSEEK_API_KEY TAVILY_API_KEY BRAVE_API_KEY EXA_API_KEY FIRECRAWL_API_KEY
SERPAPI_KEY PERPLEXITY_API_KEY ELEVENLABS_API_KEY LANGSMITH_API_KEY LANGFUSE_SECRET_KEY PINECONE_API_KEY
AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN aws_secret_access_key AZURE_CLIENT_SECRET ARM_CLIENT_SECRET
GOOGLE_APPLICATION_CREDENTIALS CLOUDFLARE_API_TOKEN CF_API_KEY DIGITALOCEAN_ACCESS_TOKEN DO_TOKEN HEROKU_API_KEY
VERCEL_TOKEN NETLIFY_AUTH_TOKEN FLY_API_TOKEN RAILWAY_TOKEN SUPABASE_SERVICE_ROLE_KEY SUPABASE_KEY PULUMI_ACCESS_TOKEN
TF_TOKEN_app_terraform_io VAULT_TOKEN DOPPLER_TOKEN OP_SERVICE_ACCOUNT_TOKEN OP_SESSION_my CONSUL_HTTP_TOKEN NOMAD_TOKEN
DB_PASSWORD DB_PASS DATABASE_PASSWORD POSTGRES_PASSWORD PGPASSWORD MYSQL_PWD MYSQL_ROOT_PASSWORD REDIS_PASSWORD
MONGO_INITDB_ROOT_PASSWORD RABBITMQ_DEFAULT_PASS SMTP_PASSWORD SMTP_PASS EMAIL_HOST_PASSWORD MAIL_PASSWORD LDAP_BIND_PW
ADMIN_PASSWORD ROOT_PASSWD SUDO_PASSWORD USER_PASSWORD FTP_PASSWORD SSHPASS_PASSWORD SSH_PASSPHRASE GPG_PASSPHRASE
KEY_PASSPHRASE KEYSTORE_PASSWORD STORE_PASS ANSIBLE_VAULT_PASSWORD BORG_PASSPHRASE RESTIC_PASSWORD RESTIC_PASSPHRASE
SECRET SECRET_KEY SECRET_KEY_BASE DJANGO_SECRET_KEY FLASK_SECRET_KEY RAILS_MASTER_KEY APP_KEY APP_SECRET APP_SECRETS
JWT_SECRET JWT JWT_PRIVATE_KEY SESSION_SECRET COOKIE_SECRET NEXTAUTH_SECRET AUTH_SECRET CSRF_SECRET ENCRYPTION_KEY
SIGNING_KEY MASTER_KEY PRIVATE_KEY SSH_PRIVATE_KEY DEPLOY_KEY SSH_KEY LICENSE_KEY WEBHOOK_SECRET HMAC_KEY HASH_SALT
SLACK_BOT_TOKEN SLACK_SIGNING_SECRET SLACK_WEBHOOK_URL DISCORD_TOKEN DISCORD_WEBHOOK_URL TELEGRAM_BOT_TOKEN TWILIO_AUTH_TOKEN
STRIPE_SECRET_KEY STRIPE_KEY PAYPAL_SECRET SENDGRID_API_KEY MAILGUN_API_KEY POSTMARK_SERVER_TOKEN ALGOLIA_ADMIN_KEY
JIRA_TOKEN JIRA_API_TOKEN CONFLUENCE_PAT ATLASSIAN_API_TOKEN BITBUCKET_APP_PASSWORD LINEAR_API_KEY NOTION_TOKEN
NOTION_API_KEY FIGMA_API_KEY FIGMA_TOKEN AIRTABLE_API_KEY ASANA_ACCESS_TOKEN TRELLO_TOKEN TRELLO_KEY TODOIST_API_TOKEN
AZURE_DEVOPS_PAT ADO_PAT AZURE_DEVOPS_EXT_PAT GITHUB_PAT GITHUB_PERSONAL_ACCESS_TOKEN GITEA_TOKEN SONAR_TOKEN CODECOV_TOKEN
SENTRY_AUTH_TOKEN SENTRY_DSN DATADOG_API_KEY DD_API_KEY DD_APP_KEY NEW_RELIC_LICENSE_KEY GRAFANA_API_KEY HONEYCOMB_API_KEY
SNOWFLAKE_PASSWORD DATABRICKS_TOKEN BIGQUERY_CREDENTIALS GCP_SA_KEY FIREBASE_TOKEN FIREBASE_PRIVATE_KEY KUBE_TOKEN KUBECONFIG
DOCKER_PASSWORD DOCKERHUB_TOKEN REGISTRY_PASSWORD DOCKER_AUTH_CONFIG CARGO_REGISTRY_TOKEN TWINE_PASSWORD PYPI_TOKEN
GEM_HOST_API_KEY NUGET_API_KEY npm_config__authToken NPM_CONFIG__AUTH npm_config__password YARN_NPM_AUTH_TOKEN
OAUTH_CLIENT_SECRET CLIENT_SECRET CONSUMER_SECRET ACCESS_TOKEN REFRESH_TOKEN ID_TOKEN BEARER_TOKEN AUTH_TOKEN API_TOKEN
apiKey accessToken clientSecret dbPassword privateKey authToken myapp.password spring.datasource.password api-key x-api-key
MNEMONIC WALLET_PRIVATE_KEY SEED_PHRASE_SECRET ETHERSCAN_API_KEY INFURA_KEY TOTP_SECRET OTP_SECRET RECAPTCHA_SECRET
MAPBOX_TOKEN GOOGLE_MAPS_API_KEY OPENWEATHER_API_KEY NEWS_API_KEY SPOTIFY_CLIENT_SECRET TWITTER_BEARER_TOKEN REDDIT_PASSWORD
LIVEBLOCKS_SECRET CLERK_SECRET_KEY AUTH0_CLIENT_SECRET OKTA_API_TOKEN KEYCLOAK_ADMIN_PASSWORD ELASTIC_PASSWORD ES_API_KEY
MINIO_SECRET_KEY MINIO_ROOT_PASSWORD S3_SECRET_KEY S3_ACCESS_KEY B2_APPLICATION_KEY RCLONE_CONFIG_PASS SURREAL_PASS
AZURE_STORAGE_KEY AZURE_STORAGE_CONNECTION_STRING AZURE_STORAGE_SAS_TOKEN COSMOS_KEY EVENTHUB_CONNECTION_STRING
CREDENTIALS CREDS PASSWORD PASS TOKEN API_KEY APIKEY AUTH BASIC_AUTH HTTP_AUTH GIT_CREDENTIALS NETRC PGPASSFILE_TOKEN
`;

/** The environment of a folder as a tool keeps it, values and all, compressed. */
const packed = (draw: ReturnType<typeof drawing>): Sample[] => [
  { name: 'DIRENV_DIFF', value: `eJzM${draw(300, alphabets.u)}` },
  { name: '__MISE_DIFF', value: `eAFr${draw(180, alphabets.b)}` },
];

/** @returns name and value of each; about as many by name as by value. */
export function positives(seed = 20_261_129): Sample[] {
  const draw = drawing(seed);
  const neutral = ['VALUE', 'CONFIG_A', 'MY_SETTING', 'EXTRA', 'SERVER_OPTION', 'X'];
  const tokens = `${issued} ${carried} ${opaque}`.split(/\s/u).filter((pattern) => pattern !== '');
  const byValue = tokens.flatMap((pattern, index) =>
    [0, 1].map((turn) => ({
      name: neutral[(index + turn) % neutral.length] ?? 'X',
      value: filled(pattern, draw).replaceAll('␣', ' '),
    })),
  );
  const plain = [
    'hunter2',
    'correct-horse',
    'Tr0ub4dor&3',
    's3cret',
    '1234',
    'changeme',
    'abc123XYZ',
    '/home/dev/keys.json',
  ];
  const byName = words(names).map((name, index) => ({ name, value: plain[index % plain.length] ?? 'x' }));
  const pem = keys(draw).map((value, index) => ({ name: neutral[index % neutral.length] ?? 'X', value }));
  return [...byValue, ...byName, ...pem, ...packed(draw)];
}

/** Texts that hold what an issuer gave out, or a credential inside something else. */
export function marked(seed = 20_261_129): string[] {
  const draw = drawing(seed);
  return words(`${issued} ${carried}`).map((pattern) => filled(pattern, draw).replaceAll('␣', ' '));
}

function words(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}
