import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { build } from 'esbuild';

/** The real command line beside a supervisor and a desk that only note how they were started. */
test('run: stdio, arguments, environment, session, signals, desk on demand, status', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'kw-'));
  t.after(() => {
    rmSync(base, { recursive: true, force: true });
  });
  await build({ entryPoints: ['src/cli.ts'], bundle: true, platform: 'node', outfile: join(base, 'cli.js') });
  writeFileSync(
    join(base, 'supervisor.js'),
    `const stat = require('fs').readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    console.log(JSON.stringify({ argv: process.argv.slice(2), env: process.env, ppid: process.ppid,
      leads: Number(stat[3]) === process.pid }));
    process.stdin.once('data', (chunk) => { console.log('got ' + chunk); process.kill(process.ppid, 'SIGUSR1'); });
    process.on('SIGTERM', () => process.exit(42));
    setInterval(() => {}, 1000);`,
  );
  const note = join(base, 'desk-note');
  writeFileSync(
    join(base, 'desk.js'),
    `require('fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify({ env: Object.keys(process.env) }));
    require('fs').mkdirSync(process.env.KINWATCH_HOME + '/run', { recursive: true });
    require('net').createServer(() => {}).listen(process.env.KINWATCH_HOME + '/run/desk.sock');
    setTimeout(() => process.exit(), 3000);`,
  );
  const child = spawn(process.execPath, [join(base, 'cli.js'), 'run', '--name', 'x', '--', 'node', 'a b'], {
    env: { KINWATCH_HOME: base, SECRET: 's', PATH: '/usr/bin' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  const said = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (out.includes(text)) resolve();
      };
      child.stdout.on('data', look);
      look();
    });
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await said('\n');
  const { argv, env, ppid, leads } = JSON.parse(out) as {
    argv: string[];
    env: Record<string, string>;
    ppid: number;
    leads: boolean;
  };
  assert.deepEqual(argv, ['--name', 'x', '--', 'node', 'a b']);
  assert.deepEqual(env, { KINWATCH_HOME: base, KINWATCH_SHIM: String(child.pid) });
  assert.deepEqual([ppid, leads], [child.pid, true]);
  child.stdin.write('hello');
  await said('got hello');
  while (!existsSync(note)) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(JSON.parse(readFileSync(note, 'utf8')), { env: ['KINWATCH_HOME'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  assert.equal(await ended, 42);
});
