import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialName, marksCredential } from '../../../src/core/policy/credentialFiles.ts';

test('names that say it', () => {
  for (const name of (
    '.env .env.local .env.production prod.env .envrc .netrc _netrc .pypirc .pgpass .git-credentials .htpasswd id_rsa ' +
    'id_ed25519 id_ecdsa_sk key.ppk cert.p12 store.jks vault.kdbx terraform.tfstate credentials.json token.json ' +
    'secrets.yaml client_secret_123.json service-account.json service_account_key.json kubeconfig'
  ).split(' '))
    assert.equal(credentialName(name, 'x'), 'credential', name);
  assert.equal(credentialName('credentials', '.aws'), 'credential');
  assert.equal(credentialName('config', '.kube'), 'credential');
});

test('names of samples and of other things', () => {
  for (const name of (
    '.env.example .env.sample .env.template .env.dist env .environment environment.ts id_rsa.pub known_hosts README.md ' +
    'credentials.ts secrets.py token.go tokens.css server.crt keys.ts package.json config credentials monkey.json'
  ).split(' '))
    assert.equal(credentialName(name, 'x'), 'no', name);
});

test('names that need a look at the beginning', () => {
  for (const name of ['server.pem', 'tls.key', '.npmrc', '.yarnrc.yml'])
    assert.equal(credentialName(name, 'x'), 'look', name);
  assert.equal(marksCredential('server.pem', ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')), true);
  assert.equal(marksCredential('server.pem', '-----BEGIN CERTIFICATE-----'), false);
  assert.equal(marksCredential('.npmrc', '//registry.npmjs.org/:_authToken=abc'), true);
  assert.equal(marksCredential('.npmrc', '//registry.npmjs.org/:_authToken=${NPM_TOKEN}'), false);
  assert.equal(marksCredential('.npmrc', 'save-exact=true'), false);
  assert.equal(marksCredential('.yarnrc.yml', 'npmAuthToken: "abc"'), true);
});
