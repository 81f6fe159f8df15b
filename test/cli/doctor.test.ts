import assert from 'node:assert/strict';
import test from 'node:test';
import { doctorText } from '../../src/cli/doctor.ts';
import { main } from '../../src/cli/main.ts';

const nowhere = { dist: '/nowhere', node: process.execPath, electron: false };

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await main(argv, nowhere, { out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err };
}

test('one line a check in columns, and what it comes to', () => {
  const checks = [
    { name: 'kernel', state: 'yes' as const, text: 'Linux 6.12 on x64.' },
    { name: 'all processes in /proc', state: 'partly' as const, text: 'Hidden.\u202e' },
  ];
  assert.equal(
    doctorText({ checks, level: 'held' }),
    'kernel                  yes     Linux 6.12 on x64.\n' +
      'all processes in /proc  partly  Hidden.⟦RLO⟧\n\n' +
      'Programs and connections are held here.\n',
  );
});

test('it takes no arguments but --json', async () => {
  const { code, err } = await run('doctor', 'kernel');
  assert.equal(code, 2);
  assert.match(err, /try kinwatch --help/u);
});

test('a doctor that cannot be started: 3, with the next step and no report', async () => {
  const { code, out, err } = await run('doctor', '--json');
  assert.equal(code, 3);
  assert.equal(out, '');
  assert.match(err, /the doctor did not end well: .*; build or install again/u);
});
