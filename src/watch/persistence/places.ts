/**
 * Where something that was written once runs again later, without anybody starting it on purpose. One table for
 * each platform; paths start at the passwd entry's home, never at `$HOME` of a client.
 */
import { join } from 'node:path';
import type { PersistencePlace } from '../../core/consequence/stayedBehind.ts';

export interface Place {
  readonly what: PersistencePlace;
  /** Absolute; a `*` as a whole name stands for every folder there. */
  readonly path: string;
  /** Folders gone into below it; 0: the file alone, or the names in the folder when it is one. */
  readonly depth: number;
  /** Only files of such names. Absent: all. */
  readonly only?: RegExp;
  /** Of a JSON file that its program rewrites all the time: only these keys count, wherever they stand. */
  readonly keys?: readonly string[];
}

export interface PlacesInput {
  readonly platform: NodeJS.Platform;
  /** Undefined when the user has no home: then only the workspaces are looked at. */
  readonly home: string | undefined;
  readonly uid: number;
  /** The server's working directory and the folders of the reviewers' windows. */
  readonly workspaces: readonly string[];
  /** Of the repositories those lie in, see `git.ts`. */
  readonly git: { readonly configurations: readonly string[]; readonly hooks: readonly string[] };
}

type Row = readonly [path: string, depth?: number, only?: RegExp];

function rows(what: PersistencePlace, ...of: readonly Row[]): Place[] {
  return of.map(([path, depth = 0, only]) => ({
    what,
    path,
    depth,
    ...(only === undefined ? {} : { only }),
  }));
}

const settings = /^(?:settings|keybindings)\.json$/u;
const tasks = /^tasks\.json$/u;
const servers = /^mcp\.json$/u;
const pythonStart = /(?:\.pth|^(?:site|user)customize\.py)$/u;

/** One editor's user folder; profiles lie two folders below it. */
function editor(user: string): Place[] {
  return [
    { what: 'editor setting', path: user, depth: 0, only: settings },
    { what: 'editor task', path: user, depth: 0, only: tasks },
    { what: 'MCP configuration', path: user, depth: 0, only: servers },
    { what: 'editor setting', path: join(user, 'profiles'), depth: 1, only: settings },
    { what: 'editor task', path: join(user, 'profiles'), depth: 1, only: tasks },
    { what: 'MCP configuration', path: join(user, 'profiles'), depth: 1, only: servers },
    ...rows(
      'MCP configuration',
      [join(user, 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json')],
      [join(user, 'globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json')],
    ),
  ];
}

const editorNames = ['Code', 'Code - OSS', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
const editorFolders = ['.vscode', '.vscode-oss', '.vscode-insiders', '.cursor', '.windsurf'];
const editorServers = ['.vscode-server', '.vscode-server-oss', '.cursor-server', '.windsurf-server'];

const linuxHome: readonly Place[] = [
  ...rows(
    'user unit',
    ['.config/systemd/user', 3],
    ['.config/systemd/user.control', 3],
    ['.local/share/systemd/user', 3],
  ),
  ...rows('environment.d file', ['.config/environment.d']),
  ...rows(
    'autostart entry',
    ['.config/autostart'],
    ['.config/autostart-scripts'],
    ['.config/plasma-workspace', 1],
  ),
  ...rows('D-Bus service', ['.local/share/dbus-1/services']),
  ...rows('Python start-up file', ['.local/lib/*/site-packages', 0, pythonStart]),
  ...editorNames.flatMap((name) => editor(`.config/${name}/User`)),
  ...rows('MCP configuration', ['.config/Claude/claude_desktop_config.json']),
];

const macHome: readonly Place[] = [
  ...rows('launch agent', ['Library/LaunchAgents']),
  ...rows('Python start-up file', ['Library/Python/*/lib/python/site-packages', 0, pythonStart]),
  ...editorNames.flatMap((name) => editor(`Library/Application Support/${name}/User`)),
  ...rows('MCP configuration', ['Library/Application Support/Claude/claude_desktop_config.json']),
];

const anyHome: readonly Place[] = [
  ...rows(
    'shell start-up file',
    ...['.profile', '.bash_profile', '.bash_login', '.bashrc', '.bash_logout', '.bash_aliases'].map(one),
    ...['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout', '.kshrc', '.mkshrc'].map(one),
    ...['.cshrc', '.tcshrc', '.login', '.logout', '.xprofile', '.xinitrc', '.xsession', '.xsessionrc'].map(
      one,
    ),
    ...['.pam_environment', '.config/nushell/env.nu', '.config/nushell/config.nu'].map(one),
    ['.bashrc.d', 1],
    ['.config/fish/config.fish'],
    ['.config/fish/conf.d'],
    ['.config/fish/functions'],
  ),
  ...rows('authorized_keys file', ['.ssh/authorized_keys'], ['.ssh/authorized_keys2']),
  ...rows('ssh configuration', ['.ssh/config'], ['.ssh/config.d', 1], ['.ssh/rc'], ['.ssh/environment']),
  ...rows('git configuration', ['.gitconfig'], ['.config/git/config'], ['.config/git/attributes']),
  ...rows('own program', ...['.local/bin', 'bin', '.cargo/bin', 'go/bin', '.bun/bin', '.deno/bin'].map(one)),
  ...rows(
    'tool start-up file',
    ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.cargo/config.toml', '.config/pip/pip.conf'].map(one),
    ...['.gdbinit', '.lldbinit', '.tmux.conf', '.config/tmux/tmux.conf', '.config/direnv/direnvrc'].map(one),
    ...['.vimrc', '.config/nvim/init.lua', '.config/nvim/init.vim', '.emacs', '.emacs.d/init.el'].map(one),
  ),
  ...editor('.local/share/code-server/User'),
  ...editorServers.flatMap((name) => [...editor(`${name}/data/User`), ...editor(`${name}/data/Machine`)]),
  ...rows(
    'editor extension',
    ...[...editorFolders, ...editorServers].map((name): Row => [`${name}/extensions`]),
    ['.local/share/code-server/extensions'],
  ),
  // Its program writes counters and history into the same file all the time.
  { what: 'MCP configuration', path: '.claude.json', depth: 0, keys: ['mcpServers', 'hooks'] },
  ...rows(
    'MCP configuration',
    ...['.cursor/mcp.json', '.codeium/windsurf/mcp_config.json', '.copilot/mcp-config.json'].map(one),
    ...['.kiro/settings/mcp.json', '.continue/config.json', '.continue/config.yaml'].map(one),
    ['.config/goose/config.yaml'],
  ),
  ...rows(
    'agent configuration',
    ...['.claude/settings.json', '.claude/settings.local.json', '.codex/config.toml'].map(one),
    ...['.gemini/settings.json', '.config/zed/settings.json'].map(one),
    ['.config/opencode', 1, /\.(?:jsonc?|[cm]?[jt]s)$/u],
  ),
];

const workspace: readonly Place[] = [
  ...rows(
    'editor setting',
    ['.vscode', 0, /^(?:settings|extensions)\.json$/u],
    ['.', 0, /\.code-workspace$/u],
  ),
  ...rows('editor task', ['.vscode', 0, /^(?:tasks|launch)\.json$/u]),
  ...rows('MCP configuration', ['.vscode/mcp.json'], ['.cursor/mcp.json'], ['.mcp.json']),
  ...rows(
    'agent configuration',
    ...['.claude/settings.json', '.claude/settings.local.json', '.codex/config.toml'].map(one),
    ...['.gemini/settings.json', 'opencode.json', 'opencode.jsonc'].map(one),
    ['.opencode', 1, /\.(?:jsonc?|[cm]?[jt]s)$/u],
  ),
  ...rows('git hook', ['.husky', 1]),
  ...rows('tool start-up file', ['.envrc'], ['.npmrc'], ['.devcontainer/devcontainer.json']),
  ...rows(
    'Python start-up file',
    ['.venv/lib/*/site-packages', 0, pythonStart],
    ['venv/lib/*/site-packages', 0, pythonStart],
  ),
];

function one(path: string): Row {
  return [path];
}

/** Every place of a session, the ones that run by themselves first: should the time be used up, the others wait. */
export function persistencePlacesOf({ platform, home, uid, workspaces, git }: PlacesInput): Place[] {
  const below = (root: string, table: readonly Place[]): Place[] =>
    table.map((place) => ({ ...place, path: join(root, place.path) }));
  const runtime =
    platform === 'linux'
      ? rows(
          'user unit',
          [`/run/user/${uid}/systemd/user`, 3],
          [`/run/user/${uid}/systemd/user.control`, 3],
          [`/run/user/${uid}/systemd/transient`, 1],
        )
      : [];
  const own = platform === 'darwin' ? macHome : platform === 'linux' ? linuxHome : [];
  return [
    ...runtime,
    ...(home === undefined ? [] : below(home, [...own, ...anyHome])),
    ...workspaces
      .filter((folder) => folder.startsWith('/') && folder !== '/')
      .flatMap((folder) => below(folder, workspace)),
    ...rows('git configuration', ...git.configurations.map(one)),
    ...rows('git hook', ...git.hooks.map(one)),
  ];
}
