import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { commandIds, notificationsSetting, providerId, viewId } from '../../src/editor/commandTable.ts';
import { panelHtml } from '../../src/editor/panelHtml.ts';

interface Manifest {
  contributes: {
    commands: { command: string; title: string }[];
    views: { kinwatch: { id: string; type: string }[] };
    configuration: { properties: Record<string, unknown> };
    mcpServerDefinitionProviders: { id: string; label: string }[];
  };
}
const read = (name: string): unknown => JSON.parse(readFileSync(name, 'utf8'));
const text = readFileSync('package.json', 'utf8');
const { contributes } = read('package.json') as Manifest;

test('manifest and tables name the same things', () => {
  assert.deepEqual(
    contributes.commands.map(({ command }) => command),
    [...commandIds],
  );
  assert.deepEqual(
    contributes.views.kinwatch.map(({ id }) => id),
    [viewId],
  );
  assert.deepEqual(Object.keys(contributes.configuration.properties), [
    `${notificationsSetting.section}.${notificationsSetting.name}`,
  ]);
  assert.equal(contributes.mcpServerDefinitionProviders[0]?.id, providerId);
  assert.notEqual(contributes.mcpServerDefinitionProviders[0]?.label, '');
});

test('every placeholder of the manifest has its text, and no text is unused', () => {
  const names = [...text.matchAll(/"%([\w.]+)%"/gu)].map(([, name]) => name ?? '');
  assert.deepEqual(
    [...new Set(names)].toSorted(),
    Object.keys(read('package.nls.json') as object).toSorted(),
  );
});

test('the panel’s page lets nothing in but its own files', () => {
  const page = panelHtml({
    source: 'https://s',
    script: 'https://s/a"b.js',
    style: 'https://s/a.css',
    nonce: 'N0',
  });
  assert.match(page, /default-src 'none'; script-src 'nonce-N0'; style-src https:\/\/s;/u);
  assert.doesNotMatch(page, /unsafe|a"b/u);
  assert.equal(page.match(/<script/gu)?.length, 1);
});
