import assert from 'node:assert/strict';
import test from 'node:test';
import type { PanelQuestion } from '../../src/protocol/panel.ts';
import { inOrder, nextWaiting, openAfter } from '../../webview/openCard.ts';
import { at, exec, execQuestion } from './story.ts';

const asked = (id: string, clock: string): PanelQuestion =>
  execQuestion(id, exec({}), at('14:10:00'), at(clock));
const over = (item: PanelQuestion): PanelQuestion => ({
  ...item,
  ending: { kind: 'answered', choice: 'deny', at: at('14:05:00') },
});
const a = asked('a', '14:01:00');
const b = asked('b', '14:02:00');
const c = asked('c', '14:03:00');

test('cards stand in the order of arrival', () => {
  assert.deepEqual(
    inOrder([c, a, b]).map((each) => each.question.id),
    ['a', 'b', 'c'],
  );
});

test('the first question opens, later arrivals do not close it', () => {
  assert.equal(openAfter(undefined, new Set(), [a, b]), 'a');
  assert.equal(openAfter('a', new Set(['a']), [a, b]), 'a');
});

test('an answered card stays open: the next one opens only when it arrives or is chosen', () => {
  assert.equal(openAfter('a', new Set(['a', 'b']), [over(a), b]), 'a');
  assert.equal(openAfter('a', new Set(['a', 'b']), [over(a), b, c]), 'c');
});

test('when the open card leaves the view, the first that waits opens', () => {
  assert.equal(openAfter('a', new Set(['a', 'b', 'c']), [b, c]), 'b');
  assert.equal(openAfter('a', new Set(['a']), []), undefined);
});

test('the next question is the next that waits, around the end', () => {
  assert.equal(nextWaiting([a, over(b), c], 'a'), 'c');
  assert.equal(nextWaiting([a, over(b), c], 'c'), 'a');
  assert.equal(nextWaiting([a], 'a'), undefined);
});
