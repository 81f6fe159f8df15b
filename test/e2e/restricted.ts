/** Restricted Mode: a folder that nobody trusted yet, in an editor and a Kinwatch home of their own. */
import assert from 'node:assert/strict';
import { recordsOf } from '../desk/harness.ts';
import { Run, toolServer } from '../process/rig.ts';
import { type EditorDriver, openEditor } from './driver.ts';
import { PanelPage } from './panel.ts';
import { World } from './world.ts';

/** It is shown, and a script of the untrusted folder is refused without a question. */
export async function walkRestricted(): Promise<void> {
  const world = new World();
  try {
    const editor = await openEditor({
      workspace: world.workspace,
      dataDir: world.dataDir,
      env: world.env,
      workspaceTrust: true,
      log: () => undefined,
    });
    try {
      await walk(editor, world);
    } finally {
      await editor.close();
    }
  } finally {
    await world.close();
  }
}

async function walk(editor: EditorDriver, world: World): Promise<void> {
  const script = world.script('runner.sh', '#!/bin/sh\necho ran\n');
  const panel = await PanelPage.open(editor);
  await panel.frame.getByRole('status').filter({ hasText: 'Restricted Mode.' }).waitFor();

  // The editor's own agent rests in this mode: another client of the same desk calls.
  const run = world.outsideRun('outside', [process.execPath, toolServer]);
  const ready = run.ready();
  await panel.answer(/will start outside/u, 'once');
  await ready;
  const answer = await run.answerTo(run.call('run', { command: script }));
  assert.equal(answer.result.isError, true);
  assert.match(answer.result.content[0].text, /defined in a workspace that is not trusted/u);
  assert.deepEqual(Run.value(answer, 1), { error: 'EACCES' });
  await panel.row('never released').filter({ hasText: 'defined in an untrusted workspace' }).waitFor();
  assert.equal(recordsOf(world, 'question asked').length, 1, 'the start alone was a question');
  await editor.screenshot('editor-restricted');
}
