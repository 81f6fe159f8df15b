import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isRunnersOwn, loadsCode, mayLoadCode, nameOf } from '../../../src/core/policy/codeVariables.ts';
import { isCodeBearing } from '../../../src/watch/environment.ts';

const words = (text: string): string[] => text.split(' ');
const loading = words(
  'LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH NODE_OPTIONS BASH_ENV ENV BASH_FUNC_git%% PYTHONPATH PYTHONSTARTUP PYTHONHOME ' +
    'PYTHONWARNINGS PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_SSH ' +
    'GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_EDITOR GIT_SEQUENCE_EDITOR PAGER EDITOR VISUAL ' +
    'npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL Npm_Config_x',
);
const harmless = words(
  'PATH HOME LANG LC_ALL PWD PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHON_VERSION GIT_AUTHOR_NAME GIT_DIR NODE_ENV ' +
    'ENVIRONMENT EDITORS npm_lifecycle_event BASH LDFLAGS MY_LD_PRELOAD',
);

test('what loads code, and what only looks like it', () => {
  for (const name of loading) assert.ok(loadsCode(name), name);
  for (const name of harmless) assert.equal(loadsCode(name), false, name);
});

test('the first bytes never rule out a name that loads code', () => {
  for (const name of loading)
    assert.ok(mayLoadCode(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2)), name);
  assert.equal(mayLoadCode(0x48, 0x4f, 0x4d), false, 'most are ruled out: HOME');
});

test('bytes are judged as their name is', () => {
  const names = fc.oneof(
    fc.constantFrom(...loading, ...harmless),
    fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 30 }),
  );
  fc.assert(
    fc.property(names, fc.nat(8), fc.boolean(), (name, before, hasValue) => {
      const variable = `${name.replaceAll('\0', '')}${hasValue ? '=LD_PRELOAD=x' : ''}`;
      const bytes = Buffer.from(`${'x'.repeat(before)}${variable}\0LD_PRELOAD=y\0`, 'latin1');
      const expected = loadsCode(nameOf(variable));
      // Without bytes of its own the next one's would be judged: no vector holds such a place.
      if (variable !== '') assert.equal(isCodeBearing(bytes, before), expected, variable);
    }),
  );
});

test('what a package runner gives on', () => {
  for (const name of words('npm_config_cache EDITOR')) assert.ok(isRunnersOwn(name));
  for (const name of words('NODE_OPTIONS LD_PRELOAD PAGER GIT_EDITOR'))
    assert.equal(isRunnersOwn(name), false);
});
