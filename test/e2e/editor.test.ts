/** The user's main path, walked in one run of a real editor with the real extension. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { readProcess } from '../../.scripts/processes.mjs';
import { recordsOf } from '../desk/harness.ts';
import { isAlive, type Run, toolServer } from '../process/rig.ts';
import { activationTime } from './activation.ts';
import { type EditorDriver, openEditor } from './driver.ts';
import { takePictures } from './looks.ts';
import { PanelPage, plain } from './panel.ts';
import { walkRestricted } from './restricted.ts';
import { untilDone } from './workbench.ts';
import { until, World } from './world.ts';

const world = new World();
let editor: EditorDriver;
let panel: PanelPage;
/** A server of another client: its question must outlive the window. */
let outside: Run;
let hasFailed = false;

before(async () => {
  world.write(
    join(world.workspace, '.vscode', 'mcp.json'),
    `${JSON.stringify({ servers: { proposed: { command: 'node', args: ['agent-wrote-this.js'] } } })}\n`,
  );
  editor = await openEditor({
    workspace: world.workspace,
    dataDir: world.dataDir,
    env: world.env,
    log: () => undefined,
  });
});

after(async () => {
  await editor?.close();
  await world.close();
});

/** Each step stands on the one before: after a failure the rest is skipped, and there is a picture of it. */
function step(name: string, walk: (t: TestContext) => Promise<void>): void {
  test(name, async (t) => {
    if (hasFailed) return t.skip('an earlier step failed');
    try {
      await walk(t);
    } catch (error) {
      hasFailed = true;
      if (!editor.page.isClosed()) await editor.screenshot('failed');
      throw error;
    }
  });
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
const ask = (tool: string, input: object): Promise<void> =>
  editor.sendChat(`CALL ${tool} ${JSON.stringify(input)}`);

describe('the main path in a real editor', () => {
  step('the extension is active, and an empty panel says what to do first', async (t) => {
    panel = await PanelPage.open(editor);
    await panel.body.getByText('Nothing is under watch yet').waitFor();
    await panel.body.getByText('No server is configured so far').waitFor();
    await panel.body.getByText('Desk connected').waitFor();
    assert.match(await panel.text(), /proposes 1 server in .*mcp\.json: proposed/u);
    t.diagnostic(`activation of the extension: ${await activationTime(editor)}`);
  });

  step('servers.jsonc is opened, and its servers are in the editor’s own list', async () => {
    await editor.runCommand('Kinwatch: Open Server Configuration');
    await editor.page
      .locator('.editor-instance .view-lines')
      .filter({ hasText: 'Servers that Kinwatch may launch by name' })
      .waitFor();
    world.writeServers();
    await panel.body.getByText('2 servers configured: files, tools.').waitFor();
    const listed = await untilDone(editor.page, 'both servers in the list', async () => {
      const rows = await editor.mcpServers();
      assert.ok(rows.some((row) => row.startsWith('tools')));
      return rows.map((row) => row.replaceAll(/\s+/gu, ' '));
    });
    assert.ok(listed.some((row) => /^files ?Stopped/u.test(row)));
    assert.match(await panel.text(), /proposed\. Kinwatch doesn’t start it/u);
  });

  step('a first start is a card and a notification; nothing runs before the answer', async () => {
    const appearance = panel.appearance();
    await editor.runCommand('Kinwatch: Start Server…');
    const offered = await editor.pickFrom(/Start which server/u, 'toolServer');
    assert.equal(offered.length, 2, 'the workspace’s own server is not offered');
    await panel.sameInNotification(/will start tools/u);
    const { wasDim, dimMs, stillWaits } = await appearance;
    // 600 by the page's own clock; on a busy machine this observer hears of the card later than the page drew it.
    assert.ok(wasDim && dimMs > 450, `dim for ${dimMs} ms`);
    assert.ok(stillWaits, 'a press in the first moment answers nothing');
    await takePictures(editor, 'first-start');
    assert.equal(world.born().length, 0);
    assert.equal(recordsOf(world, 'decision').length, 0);

    await panel.answer(/will start tools/u, 'once');
    await panel.row('toolServer.mjs').waitFor();
    const [born] = await until('its birth is written', () => world.born().length > 0 && world.born());
    assert.equal(readProcess(born?.pid ?? 0)?.startTicks, String(born?.startTicks));
    const decision = recordsOf(world, 'decision').at(-1);
    assert.equal(decision?.choice, 'once');
  });

  step('a call of the editor’s own agent goes through the relay and its result comes back', async () => {
    await ask('echo', { value: 'through the relay' });
    // The agent starts every other server it knows: here is where a person meets the real file server.
    await panel.sameInNotification(/will start files/u);
    await panel.answer(/will start files/u, 'once');
    assert.match(await editor.allowToolInChat(), /Run echo/u);
    await editor.chatAnswer(/TOOL RESULT: "through the relay"/u);
    const request = recordsOf(world, 'request').at(-1)?.request;
    assert.equal(request?.tool, 'echo');
    assert.match(await panel.row('server-filesystem').innerText(), /node/u);
  });

  step('a new program is held; keys on the card answer nothing; denied, the agent is told', async () => {
    const script = world.script('runner.sh', '#!/bin/sh\necho ran\n');
    await ask('run', { command: script });
    await editor.allowToolInChat();
    await panel.sameInNotification(/runner\.sh/u);
    const held = panel.row('waiting for you');
    await held.waitFor();
    await takePictures(editor, 'held');

    const card = panel.card(/runner\.sh/u);
    await card.locator('[data-choice=once][aria-disabled=false]').waitFor();
    const asked = recordsOf(world, 'question asked').at(-1)?.question.id;
    for (const key of ['Enter', 'Space', 'Escape']) {
      await card.locator('article').focus();
      await editor.page.keyboard.press(key);
    }
    await card.locator('[data-choice=once][aria-disabled=false]').waitFor();
    assert.equal(recordsOf(world, 'decision').filter(({ question }) => question === asked).length, 0);

    await panel.answer(/runner\.sh/u, 'deny');
    await editor.chatAnswer(new RegExp(`Kinwatch denied .*${escaped(script)}: denied by the reviewer`, 'u'));
    await panel.row('never released').waitFor();
  });

  step('allowed in the panel it runs, under the request that caused it', async () => {
    await ask('run', { command: '/usr/bin/sleep', args: ['1001'] });
    await editor.allowToolInChat();
    await panel.answer(/sleep 1001/u, 'once');
    const row = panel.row('sleep 1001').filter({ hasText: /run #\d/u });
    await row.waitFor();
    await row.click();
    await panel.frame.locator('kw-drawer').getByText('certain').waitFor();
    // The answered card stays beside the open ones for a while.
    await panel.body.getByText('Nothing needs you.').waitFor();
    await takePictures(editor, 'running');
    await row.press('Escape');
    await panel.frame.locator('kw-drawer section').waitFor({ state: 'hidden' });
  });

  step('one process is stopped by the palette', async () => {
    await editor.runCommand('Kinwatch: Stop Process…');
    await editor.pickFrom(/End which process/u, 'sleep 1001');
    await editor.chatAnswer(/"signal":"SIGTERM"/u);
    await until('its end is written', () => world.born().filter(isAlive).length === 2);
  });

  step('a question answered in its notification', async () => {
    await ask('run', { command: '/usr/bin/sleep', args: ['1002'] });
    await editor.allowToolInChat();
    await panel.sameInNotification(/sleep 1002/u);
    await panel
      .card(/sleep 1002/u)
      .locator('[data-choice=once][aria-disabled=false]')
      .waitFor();
    const toast = await editor.toast(/sleep 1002/u);
    await toast.getByRole('button', { name: 'Allow once' }).click();
    await panel
      .row('sleep 1002')
      .filter({ hasText: /run #\d/u })
      .waitFor();
  });

  step('Contain Session: evidence, then nothing is alive, proved', async () => {
    const session = world.session('tools');
    await editor.runCommand('Kinwatch: Contain Session…');
    await editor.pickFrom(/Contain which session/u, 'tools');
    const certificate = panel.certificate('tools is contained');
    await certificate.waitFor();
    const text = plain(await certificate.innerText());
    assert.match(text, /2 processes ended, none survive/u);
    assert.match(text, /Survivors 0 proved by the kernel/u);
    await editor.toast(/tools was contained: nothing it started is alive/u);
    assert.equal(world.bornOf('tools').filter(isAlive).length, 0);
    const { survivors, proved } = world.certificateOf(session) ?? {};
    assert.deepEqual({ survivors, proved }, { survivors: 0, proved: true });
    await panel.body.getByText('Nothing needs you.').waitFor();
    await takePictures(editor, 'contained');
  });

  step('Contain All Sessions ends every client’s families', async () => {
    outside = world.outsideRun('outside', [process.execPath, toolServer]);
    await panel.answer(/will start outside/u, 'once');
    await panel.row('outside').filter({ hasText: '1 running' }).waitFor();
    await until('both run', () => world.alive().length === 2);
    await editor.runCommand('Kinwatch: Contain All Sessions');
    for (const server of ['files', 'outside']) {
      await panel.certificate(`${server} is contained`).waitFor();
    }
    assert.deepEqual(world.alive(), []);
    outside.child.stdin.end();
    await until('the outside client’s command has ended', () => outside.exit);
  });

  step('the editor’s own stop ends the family, proved', async () => {
    await editor.chooseMcpAction('files', 'Start Server');
    await panel.answer(/will start files/u, 'once');
    await panel.row('files').filter({ hasText: '1 running' }).waitFor();
    const session = world.session('files');
    assert.equal(world.alive().length, 1);
    await editor.chooseMcpAction('files', 'Stop Server');
    const certificate = await until('its certificate', () => world.certificateOf(session));
    assert.deepEqual([certificate.survivors, certificate.proved], [0, true]);
    assert.deepEqual(world.alive(), []);
  });

  step('a reload ends the old window’s family and shows again what waits', async () => {
    await editor.chooseMcpAction('tools', 'Start Server');
    await panel.answer(/will start tools/u, 'once');
    await panel.row('toolServer.mjs').filter({ hasText: 'running: node' }).waitFor();
    const session = world.session('tools');
    outside = world.outsideRun('later', [process.execPath, toolServer]);
    const asked = await panel.headline(/will start later/u);
    await editor.reload();
    panel = await PanelPage.open(editor);
    assert.equal(await panel.headline(/will start later/u), asked);
    await panel.sameInNotification(/will start later/u);
    const certificate = await until('the old family’s certificate', () => world.certificateOf(session));
    assert.deepEqual([certificate.survivors, certificate.proved], [0, true]);
    assert.deepEqual(world.alive(), []);
    await panel.answer(/will start later/u, 'deny');
    await until('the denial is written', () => recordsOf(world, 'decision').at(-1)?.choice === 'deny');
    outside.child.stdin.end();
    await until('the denied client has ended', () => outside.exit);
  });

  step('closing the page ends its family; quitting the editor leaves the desk alone', async () => {
    await editor.chooseMcpAction('tools', 'Start Server');
    await panel.answer(/will start tools/u, 'once');
    await until('it runs', () => world.alive().length === 1);
    await editor.page.close();
    await until('its family has ended', () => world.alive().length === 0);
    await editor.quitEditor();
    assert.ok(world.born().length >= 9);
  });

  // While the desk of the closed editor waits its minute for the next one.
  step('Restricted Mode: shown, and scripts of the folder are refused', walkRestricted);

  step('the desk ends by itself, and nothing that was ever born is alive', async () => {
    const desk = world.desk();
    assert.ok(desk !== undefined);
    await until('the desk has ended', () => !isAlive(desk));
    assert.equal(recordsOf(world, 'desk ended').length, 1);
    assert.deepEqual(world.alive(), []);
  });
});
