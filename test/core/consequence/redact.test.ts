import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { redact, redactArguments } from '../../../src/core/redaction/redact.ts';
import { namesSecret } from '../../../src/core/redaction/secretVariable.ts';

const letters = 'Abc123dEf456gHi789Jk';

test('token shapes are masked with their length', () => {
  for (const secret of [
    `ghp_${letters}`,
    `sk-${letters}`,
    'AKIAABCDEFGHIJKLMNOP',
    `xoxb-${letters}`,
    `glpat-${letters}`,
  ]) {
    assert.equal(redact(`a ${secret} b`), `a [masked, ${secret.length} characters] b`);
  }
  assert.equal(redact(`Authorization: Bearer ${letters}`), 'Authorization: Bearer [masked, 20 characters]');
  assert.equal(redact('https://me:hunter2@host/x'), 'https://me:[masked, 7 characters]@host/x');
  assert.deepEqual(redactArguments(['run', '-e', `API_TOKEN=${letters}`]), [
    'run',
    '-e',
    'API_TOKEN=[masked, 20 characters]',
  ]);
  assert.deepEqual(redactArguments(['--password', 'x9']), ['--password', '[masked, 2 characters]']);
});

test('a mask hides no code', () => {
  for (const text of [
    'TOKEN=$(curl https://drop.example)',
    '--password',
    'https://u:`id`@h',
    'ordinary text, path/to/file and node server.js',
  ]) {
    assert.equal(redact(text), text);
  }
  assert.deepEqual(redactArguments(['--token', 'a; curl x']), ['--token', 'a; curl x']);
  // What stands behind the token stays.
  assert.ok(redact(`ghp_${letters};rm -rf ~`).endsWith(';rm -rf ~'));
});

test('masking keeps everything else, and is fast on long input', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', ' ', '=', ':', '@', '/', 'token', 'sk-', '_', '"') }),
      (text) => {
        const shown = redact(text);
        if (!shown.includes('[masked')) assert.equal(shown, text);
      },
    ),
  );
  for (const text of [
    'token'.repeat(40_000),
    'a://'.repeat(40_000),
    `${'a-'.repeat(80_000)}:`,
    ':'.repeat(100_000),
  ]) {
    const from = performance.now();
    redact(text);
    assert.ok(performance.now() - from < 2000, text.slice(0, 10));
  }
});

test('names of secrets', () => {
  for (const name of ['API_TOKEN', 'GITHUB_PAT', 'DB_PASSWORD', 'aws_secret_access_key'])
    assert.ok(namesSecret(name));
  for (const name of ['PATH', 'HOME', 'NODE_ENV', 'KEYBOARD']) assert.ok(!namesSecret(name), name);
});
