/** Field case 5: which programs have their work done outside the family. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOutside } from '../../../src/core/consequence/outside.ts';
import { handedOver, handedOverBy } from '../../../src/core/identity/handOver.ts';

const of = (line: string): string | null => {
  const argv = line.split(' ');
  return handedOver(`/usr/bin/${argv[0]}`, argv);
};

test('field case 5: a container, a job of systemd, a scheduled job', () => {
  for (const [line, expected] of [
    ['docker run -i --rm image stdio', 'container'],
    ['docker -H unix:///x --context other container run image', 'container'],
    ['docker compose up -d', 'container'],
    ['docker-compose up', 'container'],
    ['nerdctl exec one ls', 'container'],
    ['podman --remote run image', 'container'],
    ['podman-remote start one', 'container'],
    ['systemd-run --user sleep 10', 'job of systemd'],
    ['at now', 'scheduled job'],
    ['crontab -', 'scheduled job'],
    ['docker ps run', null],
    ['docker -c run ps', null],
    ['docker', null],
    ['podman run image', null],
    ['atq', null],
    ['at -l', null],
    ['crontab -l', null],
    ['ls docker run', null],
  ] as const)
    assert.equal(of(line), expected, line);
});

test('field case 5: a script is what it is called, however it was started', () => {
  assert.equal(handedOver('/x/docker', ['sh', '/x/docker', 'run', 'image']), 'container');
  assert.equal(handedOver('/x/docker', ['docker', 'run', 'image']), 'container');
  assert.equal(handedOverBy('/usr/bin/dash', ['/bin/sh', '/x/docker', 'run', 'image']), 'container');
  assert.equal(handedOverBy('/usr/bin/docker', ['docker', 'run', 'image']), 'container');
  assert.equal(
    handedOverBy('/usr/bin/dash', ['sh', '-c', 'docker run image']),
    null,
    'it starts docker itself',
  );
  assert.equal(handedOverBy('', []), null);
});

test('field case 5: secrets on its command line are masked', () => {
  const text = leftOutside('/usr/bin/docker', [
    'docker',
    'run',
    '--token',
    'sk-live-abcdefgh12345678',
    'image',
  ]);
  assert.match(text ?? '', /^container, not a child process: docker run --token /u);
  assert.equal(text?.includes('abcdefgh'), false);
});
