import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stayedBehind } from '../../../src/core/consequence/stayedBehind.ts';

test('grouped by kind and change, what appeared first, and in the plural where there are several', () => {
  const groups = stayedBehind([
    { place: 'shell start-up file', path: '/h/.bashrc', change: 'changed' },
    { place: 'autostart entry', path: '/h/a', change: 'appeared' },
    { place: 'user unit', path: '/h/x.service', change: 'appeared' },
    { place: 'autostart entry', path: '/h/b', change: 'appeared' },
  ]);
  assert.deepEqual(groups, [
    { words: '1 user unit appeared', paths: ['/h/x.service'] },
    { words: '2 autostart entries appeared', paths: ['/h/a', '/h/b'] },
    { words: '1 shell start-up file changed', paths: ['/h/.bashrc'] },
  ]);
  assert.deepEqual(stayedBehind([]), []);
});
