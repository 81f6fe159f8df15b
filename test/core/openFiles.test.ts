import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteOf } from '../../src/core/openFiles.ts';

const places = { projects: ['/home/dev/src', '/tmp/project'], temporary: ['/tmp'], home: '/home/dev' };

test('credentials come before the project, the project before temporary folders', () => {
  assert.equal(noteOf('/home/dev/.ssh/id_ed25519', places), 'credentials');
  assert.equal(noteOf('/home/dev/.netrc', places), 'credentials');
  assert.equal(noteOf('/home/dev/src/.env.local', places), 'credentials');
  assert.equal(noteOf('/home/dev/src/main.ts', places), 'project');
  assert.equal(noteOf('/tmp/project/x', places), 'project');
  assert.equal(noteOf('/tmp/x', places), 'temporary');
});

test('a name that only begins alike is another one; the root is no project', () => {
  assert.equal(noteOf('/home/dev/.sshfs', places), undefined);
  assert.equal(noteOf('/home/dev/src2/x', places), undefined);
  assert.equal(noteOf('/usr/lib/x.so', { ...places, projects: ['/'] }), undefined);
  assert.equal(noteOf('/home/dev/.ssh/x', { ...places, home: undefined }), undefined);
  assert.equal(noteOf('/home/dev/src/.environment', places), 'project');
});
