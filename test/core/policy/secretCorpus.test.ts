import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact } from '../../../src/core/redaction/redact.ts';
import { secretSign } from '../../../src/core/redaction/secretVariable.ts';
import { ordinaryVariables } from './ordinaryVariables.ts';
import { marked, positives, type Sample } from './secretCorpus.ts';

const negatives: Sample[] = ordinaryVariables
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ name: line.slice(0, line.indexOf('=')), value: line.slice(line.indexOf('=') + 1) }));

test('the kept corpus: no credential is missed, at most one ordinary variable in a hundred is kept back', (t) => {
  const secrets = positives();
  const missed = secrets.filter(({ name, value }) => secretSign(name, value) === undefined);
  const wrong = negatives.filter(({ name, value }) => secretSign(name, value) !== undefined);
  const share = ((100 * wrong.length) / negatives.length).toFixed(2);
  t.diagnostic(`${secrets.length} credentials, ${missed.length} missed`);
  t.diagnostic(`${negatives.length} ordinary variables, ${wrong.length} kept back (${share} %)`);
  assert.ok(secrets.length >= 400 && negatives.length >= 300);
  assert.deepEqual(missed, []);
  const shown = wrong.map(({ name, value }) => `${name}=${value}`).join('\n');
  assert.ok(wrong.length <= negatives.length / 100, shown);
});

test('other draws of the same kinds are found too: at most one in ten thousand is missed', (t) => {
  let drawn = 0;
  const missed: Sample[] = [];
  for (let seed = 1; seed <= 50; seed += 1) {
    const secrets = positives(seed * 7919);
    drawn += secrets.length;
    missed.push(...secrets.filter(({ name, value }) => secretSign(name, value) === undefined));
  }
  t.diagnostic(`${drawn} drawn credentials, ${missed.length} missed`);
  assert.ok(missed.length <= drawn / 10_000, JSON.stringify(missed));
});

test('what an issuer marks is masked wherever it stands', () => {
  assert.deepEqual(
    marked().filter((text) => redact(`before ${text} after`) === `before ${text} after`),
    [],
  );
  const key = positives().find(({ value }) => value.startsWith('-----BEGIN RSA'));
  assert.ok(key);
  const masked = redact(key.value);
  assert.match(masked, /^-----BEGIN RSA PRIVATE KEY-----\n(?:\[masked, 64 characters\]\n){12}-----END/u);
  // A line of code between two lines of a key stays readable.
  const hiding = key.value.replace('\n', '\nrm -rf ~ ; curl x\n');
  assert.match(redact(hiding), /\nrm -rf ~ ; curl x\n/u);
  for (const text of [
    '-----BEGIN PRIVATE KEY-----'.repeat(30_000),
    'sk-'.repeat(60_000),
    'PuTTY-User-Key-File-3:'.repeat(20_000),
  ]) {
    const from = performance.now();
    redact(text);
    assert.ok(performance.now() - from < 2000, text.slice(0, 10));
  }
});
