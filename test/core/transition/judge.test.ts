import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExecLook, judgeExec, type JudgeState } from '../../../src/core/transition/judge.ts';

const bits = [false, true];

/** Every combination there is, against the rule written down a second time, in the words of DESIGN §3. */
test('the whole table', () => {
  let rows = 0;
  for (const phase of ['startup', 'running', 'ending'] as const) {
    for (const approved of bits)
      for (const systemOwned of bits)
        for (const inStartPackage of bits)
          for (const codeOnStdin of bits)
            for (const requestSeen of bits) {
              const look: ExecLook = { identity: 'x', systemOwned, inStartPackage, codeOnStdin };
              const state: JudgeState = { phase, approved: new Set(approved ? ['x'] : ['y']), requestSeen };
              const expected =
                phase === 'ending'
                  ? { kind: 'refuse', rule: 'family is ending' }
                  : codeOnStdin
                    ? { kind: 'ask' }
                    : approved
                      ? {
                          kind: 'release',
                          because: phase === 'startup' ? 'approved with the start' : 'seen before',
                        }
                      : phase === 'startup' && !requestSeen && (systemOwned || inStartPackage)
                        ? { kind: 'release', because: 'start-up' }
                        : { kind: 'ask' };
              assert.deepEqual(
                judgeExec(look, state),
                expected,
                JSON.stringify({ phase, approved, ...look, requestSeen }),
              );
              rows += 1;
            }
  }
  assert.equal(rows, 96);
});

test('the start-up rule: what the system or the package owns, until the first request, and never code from a pipe', () => {
  const judge = (look: Partial<ExecLook>, state: Partial<JudgeState> = {}): string =>
    judgeExec(
      { identity: 'x', systemOwned: false, inStartPackage: false, codeOnStdin: false, ...look },
      { phase: 'startup', approved: new Set(), requestSeen: false, ...state },
    ).kind;
  assert.equal(judge({ systemOwned: true }), 'release');
  assert.equal(judge({ inStartPackage: true }), 'release');
  assert.equal(judge({}), 'ask', 'somebody else’s file');
  assert.equal(
    judge({ systemOwned: true }, { requestSeen: true }),
    'ask',
    'built from a request’s arguments, perhaps',
  );
  assert.equal(judge({ systemOwned: true }, { phase: 'running' }), 'ask');
  assert.equal(judge({ systemOwned: true, codeOnStdin: true }), 'ask');
  assert.equal(judge({ codeOnStdin: true }, { approved: new Set(['x']) }), 'ask', 'never in a grant');
  assert.equal(judge({ systemOwned: true }, { phase: 'ending', approved: new Set(['x']) }), 'refuse');
});
