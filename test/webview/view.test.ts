import assert from 'node:assert/strict';
import test from 'node:test';
import { View, type SavedView } from '../../webview/view.ts';

test('a question is read out once and answered once, also after the view came back', () => {
  let saved: Partial<SavedView> = {};
  const first = new View(saved, (next) => (saved = next));
  assert.deepEqual(first.announce(['a', 'b'], ['a', 'b']), ['a', 'b']);
  first.send('a', 'deny');
  const second = new View(saved, (next) => (saved = next));
  assert.deepEqual(second.announce(['a', 'b'], ['a', 'b']), []);
  assert.equal(second.sent('a'), 'deny');
  second.announce([], []);
  assert.equal(second.sent('a'), undefined);
});

test('what is expanded differs from its default, and is forgotten oldest first', () => {
  const view = new View({}, () => {});
  view.toggle('x');
  assert.equal(view.isExpanded('x'), true);
  assert.equal(view.isExpanded('x', true), false);
  assert.equal(view.isExpanded('y', true), true);
  for (let index = 0; index < 500; index += 1) view.toggle(String(index));
  assert.equal(view.isExpanded('x'), false);
});
