import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { sshTarget } from '../../../src/core/consequence/sshArguments.ts';

const host = fc.stringMatching(/^[a-z][a-z0-9.-]{0,20}$/u);
const user = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/u);
const port = fc.integer({ min: 1, max: 65535 }).map(String);
const words = fc.array(fc.stringMatching(/^[a-z/.-]{1,10}$/u), { minLength: 1, maxLength: 4 });

test('host, user, port and command are found wherever ssh accepts them', () => {
  fc.assert(
    fc.property(
      host,
      user,
      port,
      words,
      fc.nat(5),
      fc.nat(3),
      (name, login, number, command, form, place) => {
        const userForms = [['-l', login], [`-l${login}`], ['-o', `User=${login}`], ['-o', `user ${login}`]];
        const before: string[] = ['-qT'];
        const after: string[] = [];
        let target = name;
        if (form < 4) (place % 2 === 0 ? before : after).push(...(userForms[form] ?? []));
        else target = form === 4 ? `${login}@${name}` : `ssh://${login}@${name}`;
        (place < 2 ? before : after).push(`-p${number}`);
        // A first word that looks like an option would be one.
        const run = [`run${command[0] ?? ''}`, ...command.slice(1)];
        assert.deepEqual(sshTarget(['ssh', ...before, target, ...after, ...run]), {
          host: name,
          user: login,
          port: number,
          command: run.join(' '),
          complete: true,
        });
      },
    ),
  );
});

test('never throws, and a host is a word of the arguments', () => {
  const argument = fc.oneof(
    fc.string(),
    fc.constantFrom('-o', '-p', '-J', '--', '-', '-W', '-oHostName=x', 'a@b', 'ssh://h:1'),
  );
  fc.assert(
    fc.property(fc.array(argument), (rest) => {
      const target = sshTarget(['ssh', ...rest]);
      if (target === null) return;
      assert.ok(rest.some((word) => word.includes(target.host)));
      assert.ok(target.host !== '' && !target.host.startsWith('-'));
    }),
  );
});

test('what is not plain stays unsaid', () => {
  for (const argv of [
    ['ssh'],
    ['ssh', '-V'],
    ['ssh', '-Z', 'host'],
    ['ssh', '-p'],
    ['ssh', '-G', 'host'],
    ['ssh', '-O', 'exit', 'host'],
    ['ssh', '@host'],
    ['ssh', '-o', 'HostName=%h.evil', 'host'],
    ['ssh', 'ssh://host/path'],
  ]) {
    assert.equal(sshTarget(argv), null, argv.join(' '));
  }
});

test('the first value counts, HostName is the real host, and the rest is not complete', () => {
  assert.equal(sshTarget(['ssh', '-l', 'a', 'b@host'])?.user, 'a');
  assert.equal(sshTarget(['ssh', 'b@host', '-l', 'a'])?.user, 'b');
  assert.equal(sshTarget(['ssh', '-oHostName=drop.example', 'build.example'])?.host, 'drop.example');
  assert.equal(sshTarget(['ssh', '-oProxyCommand=sh -c id', 'host'])?.complete, false);
  assert.equal(sshTarget(['ssh', '-L8080:db:80', 'host'])?.complete, false);
  assert.equal(sshTarget(['ssh', '-A', 'host'])?.complete, false);
  assert.equal(sshTarget(['ssh', 'host', '--', '-x'])?.command, '-x');
  // After the command has begun, options belong to it.
  assert.equal(sshTarget(['ssh', 'host', 'ls', '-l'])?.command, 'ls -l');
});
