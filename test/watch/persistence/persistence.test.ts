import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Comparison, compareLooks } from '../../../src/watch/persistence/compare.ts';
import { type CommandPlace, installedCommands } from '../../../src/watch/persistence/commands.ts';
import { gitPlacesOf } from '../../../src/watch/persistence/git.ts';
import { type Look, lookAt } from '../../../src/watch/persistence/look.ts';
import { type Place, persistencePlacesOf } from '../../../src/watch/persistence/places.ts';

function scratch(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'kw-home-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function put(home: string, path: string, text = 'x'): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const noGit = { configurations: [], hooks: [] };

function placesOf(home: string, platform: NodeJS.Platform = 'linux', workspaces: string[] = []): Place[] {
  return persistencePlacesOf({ platform, home, uid: 0, workspaces, git: noGit });
}

/** What a change does to a home, as a session's end would name it, paths from the home. */
async function after(
  home: string,
  change: () => void,
  places = placesOf(home),
  commands: CommandPlace[] = [],
): Promise<Comparison & { readonly said: string[]; readonly looks: readonly [Look, Look] }> {
  const before = await lookAt(places, { budgetMs: 10_000, commands }).look;
  change();
  const last = await lookAt(places, { budgetMs: 10_000, commands, before }).look;
  const compared = compareLooks(before, last);
  const said = compared.changes.map(
    ({ place, path, change: how }) => `${place} ${how}: ${path.replace(`${home}/`, '')}`,
  );
  return { ...compared, said: said.toSorted(), looks: [before, last] };
}

test('what appeared, changed and disappeared is named with its kind, and nothing else is', async (t) => {
  const home = scratch(t);
  put(home, '.bashrc', 'alias ll=ls\n');
  put(home, '.ssh/authorized_keys', 'ssh-ed25519 AAAA me\n');
  put(home, '.config/autostart/old.desktop');
  put(home, '.local/lib/python3.12/site-packages/numpy/core.py');
  put(home, '.vscode/extensions/a.b-1/package.json');
  put(home, 'notes/readme.md');
  const { said, gaps } = await after(home, () => {
    put(home, '.config/systemd/user/x.service');
    put(home, '.config/systemd/user/x.service.d/more.conf');
    put(home, '.config/systemd/user/default.target.wants/x.service');
    appendFileSync(join(home, '.bashrc'), 'curl x\n');
    rmSync(join(home, '.ssh/authorized_keys'));
    rmSync(join(home, '.config/autostart/old.desktop'));
    put(home, '.config/environment.d/x.conf');
    put(home, '.gitconfig', '[core]\n\thooksPath = ~/h\n');
    put(home, '.local/bin/git');
    put(home, '.local/lib/python3.12/site-packages/evil.pth');
    put(home, '.local/lib/python3.12/site-packages/numpy/core.py', 'other');
    put(home, '.config/Code/User/settings.json', '{}');
    put(home, '.config/Code/User/profiles/p1/tasks.json', '{}');
    put(home, '.config/Code/User/History/1/entry.json', '{}');
    put(home, '.vscode/extensions/evil.ext-1/package.json');
    put(home, '.cursor/mcp.json', '{}');
    put(home, 'notes/readme.md', 'other');
  });
  assert.deepEqual(said, [
    'MCP configuration appeared: .cursor/mcp.json',
    'Python start-up file appeared: .local/lib/python3.12/site-packages/evil.pth',
    'authorized_keys file disappeared: .ssh/authorized_keys',
    'autostart entry disappeared: .config/autostart/old.desktop',
    'editor extension appeared: .vscode/extensions/evil.ext-1',
    'editor setting appeared: .config/Code/User/settings.json',
    'editor task appeared: .config/Code/User/profiles/p1/tasks.json',
    'environment.d file appeared: .config/environment.d/x.conf',
    'git configuration appeared: .gitconfig',
    'own program appeared: .local/bin/git',
    'shell start-up file changed: .bashrc',
    'user unit appeared: .config/systemd/user/default.target.wants/x.service',
    'user unit appeared: .config/systemd/user/x.service',
    'user unit appeared: .config/systemd/user/x.service.d/more.conf',
  ]);
  assert.deepEqual(gaps, []);
});

test('written again with the same text is no change; made executable or relinked it is one', async (t) => {
  const home = scratch(t);
  const same = put(home, '.bashrc', 'same\n');
  const mode = put(home, '.local/bin/tool', 'tool\n');
  const kept = put(home, 'dotfiles/zshrc', 'one\n');
  symlinkSync(kept, join(home, '.zshrc'));
  symlinkSync('/usr/bin/true', join(home, '.local/bin/link'));
  const { said } = await after(home, () => {
    writeFileSync(`${same}.new`, 'same\n');
    renameSync(`${same}.new`, same);
    chmodSync(mode, 0o755);
    writeFileSync(kept, 'two\n');
    rmSync(join(home, '.local/bin/link'));
    symlinkSync('/usr/bin/false', join(home, '.local/bin/link'));
  });
  assert.deepEqual(said, [
    'own program changed: .local/bin/link',
    'own program changed: .local/bin/tool',
    'shell start-up file changed: .zshrc',
  ]);
});

test('a text of the same length and times is still another text', async (t) => {
  const home = scratch(t);
  const file = put(home, '.profile', 'aaaa\n');
  const { said } = await after(home, () => {
    writeFileSync(file, 'bbbb\n');
    execFileSync('touch', ['-d', '2001-01-01', file]);
  });
  assert.deepEqual(said, ['shell start-up file changed: .profile']);
});

test('of a file that its program rewrites all the time only what starts servers counts', async (t) => {
  const home = scratch(t);
  const state = { numStartups: 1, mcpServers: {}, projects: { '/p': { history: ['a'], mcpServers: {} } } };
  const file = put(home, '.claude.json', JSON.stringify(state));
  const counted = await after(home, () => {
    const later = {
      ...state,
      numStartups: 2,
      projects: { '/p': { history: ['a', 'b'], mcpServers: {} }, '/q': {} },
    };
    writeFileSync(file, JSON.stringify(later));
  });
  assert.deepEqual(counted.said, []);
  const added = await after(home, () => {
    writeFileSync(
      file,
      JSON.stringify({ ...state, projects: { '/p': { mcpServers: { x: { command: 'x' } } } } }),
    );
  });
  assert.deepEqual(added.said, ['MCP configuration changed: .claude.json']);
});

test('a place that is linked elsewhere is gone into; a pipe is not opened', async (t) => {
  const home = scratch(t);
  mkdirSync(join(home, 'dotfiles/units'), { recursive: true });
  mkdirSync(join(home, '.config/systemd'), { recursive: true });
  symlinkSync(join(home, 'dotfiles/units'), join(home, '.config/systemd/user'));
  execFileSync('mkfifo', [join(home, '.bashrc')]);
  const { said, gaps } = await after(home, () => put(home, 'dotfiles/units/x.timer'));
  assert.deepEqual(said, ['user unit appeared: .config/systemd/user/x.timer']);
  assert.deepEqual(gaps, []);
});

test('a flooded place hides no other, and what was not looked at is a gap, not a change', async (t) => {
  const home = scratch(t);
  put(home, '.local/bin/known');
  const { said, gaps } = await after(home, () => {
    rmSync(join(home, '.local/bin/known'));
    for (let index = 0; index < 2100; index += 1) writeFileSync(join(home, '.local/bin', `f${index}`), '');
    put(home, '.cursor/mcp.json', '{}');
  });
  assert.ok(said.includes('MCP configuration appeared: .cursor/mcp.json'));
  assert.equal(said.filter((each) => each.includes('disappeared')).length, 0);
  assert.equal(said.length, 41);
  assert.deepEqual(
    gaps.map((gap) => gap.replace(home, '')),
    [
      '/.local/bin was not compared in full: it holds more than 2000 files',
      '1960 more own programs that appeared are not listed',
    ],
  );
});

test('without time nothing is claimed', async (t) => {
  const home = scratch(t);
  const places = placesOf(home);
  const before = await lookAt(places, { budgetMs: 0, commands: [] }).look;
  put(home, '.bashrc');
  const last = await lookAt(places, { budgetMs: 10_000, commands: [] }).look;
  const { changes, gaps } = compareLooks(before, last);
  const late = new Set(before.partial.keys());
  assert.ok(changes.every(({ path }) => !late.has(path)));
  assert.ok(gaps.some((gap) => gap.includes('the time for looking was used up')));
});

test('a folder that may not be read is a gap', async (t) => {
  const home = scratch(t);
  put(home, '.config/autostart/a.desktop');
  if (process.getuid?.() === 0) return t.skip('to root everything is readable');
  chmodSync(join(home, '.config/autostart'), 0);
  const { gaps } = await after(home, () => undefined);
  chmodSync(join(home, '.config/autostart'), 0o700);
  assert.deepEqual(gaps, [`${home}/.config/autostart was not compared in full: EACCES`]);
});

test('macOS has launch agents; workspaces have tasks, servers and hooks', async (t) => {
  const home = scratch(t);
  const folder = join(home, 'src/project');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  execFileSync('git', ['init', '-q', folder]);
  execFileSync('git', ['-C', folder, 'config', 'core.hooksPath', 'tools/hooks']);
  const git = await gitPlacesOf(home, [join(folder, 'sub'), folder]);
  assert.deepEqual(git, {
    configurations: [join(folder, '.git/config')],
    hooks: [join(folder, '.git/hooks'), join(folder, 'tools/hooks')],
  });
  const places = persistencePlacesOf({ platform: 'darwin', home, uid: 0, workspaces: [folder], git });
  const { said } = await after(
    home,
    () => {
      put(home, 'Library/LaunchAgents/x.plist');
      put(folder, '.git/hooks/post-checkout');
      put(folder, 'tools/hooks/pre-commit');
      put(folder, '.vscode/tasks.json', '{}');
      put(folder, '.vscode/mcp.json', '{}');
      put(folder, '.mcp.json', '{}');
      put(folder, 'src/main.ts');
    },
    places,
  );
  assert.deepEqual(said, [
    'MCP configuration appeared: src/project/.mcp.json',
    'MCP configuration appeared: src/project/.vscode/mcp.json',
    'editor task appeared: src/project/.vscode/tasks.json',
    'git hook appeared: src/project/.git/hooks/post-checkout',
    'git hook appeared: src/project/tools/hooks/pre-commit',
    'launch agent appeared: Library/LaunchAgents/x.plist',
  ]);
});

test('a linked worktree has the hooks of its repository, and the user’s own hooks folder counts too', async (t) => {
  const home = scratch(t);
  const main = join(home, 'main');
  execFileSync('git', ['init', '-q', main]);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', main, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      stdio: 'ignore',
    });
  git('commit', '-q', '--allow-empty', '-m', 'x');
  git('worktree', 'add', '-q', join(home, 'tree'));
  put(home, '.gitconfig', '[core]\n\thooksPath = ~/hooks\n');
  assert.deepEqual(await gitPlacesOf(home, [join(home, 'tree')]), {
    configurations: [join(main, '.git/config')],
    hooks: [join(main, '.git/hooks'), join(home, 'hooks')],
  });
});

test('crontab and at jobs are read through the programs that list them', async (t) => {
  const home = scratch(t);
  const script = (name: string, text: string): void => {
    chmodSync(put(home, `bin/${name}`, `#!/bin/sh\n${text}\n`), 0o755);
  };
  script('crontab', `[ -e ${home}/tab ] && exec cat ${home}/tab; echo "no crontab for me" >&2; exit 1`);
  script('atq', `cat ${home}/jobs 2>/dev/null; exit 0`);
  const commands = installedCommands([join(home, 'bin')]);
  const { said, gaps } = await after(
    home,
    () => {
      put(home, 'tab', '* * * * * curl x\n');
      put(home, 'jobs', '7\tSun Nov 29 20:00:00 2026 a me\n');
    },
    [],
    commands,
  );
  assert.deepEqual(said, ['at job appeared: at job 7', 'crontab appeared: crontab -l']);
  assert.deepEqual(gaps, []);
  script('crontab', 'exec sleep 30');
  script('atq', 'echo denied >&2; exit 1');
  const failed = await after(home, () => undefined, [], commands);
  assert.deepEqual(failed.gaps, [
    'crontab -l was not compared in full: it did not answer',
    'atq was not compared in full: denied',
  ]);
  assert.deepEqual(installedCommands([join(home, 'nothing')]), []);
});
