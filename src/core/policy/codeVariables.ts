/**
 * Variables that make programs load or run something that their command line does not name. One list: for the start
 * card, and for the environment that each program is started with. Sources: `ld.so(8)`, `node(1)`, `bash(1)`,
 * `python(1)`, `perlrun(1)`, `ruby(1)`, `git(1)`, npm's config, and the tools' own manuals.
 */

/** `*` stands for any characters, none too. */
const patterns = `
  LD_* GCONV_PATH OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES
  NODE_OPTIONS NODE_PATH
  BASH_ENV ENV BASH_FUNC_* SHELLOPTS PS4 PROMPT_COMMAND ZDOTDIR
  PYTHON* PERL5* PERLLIB RUBY* LUA_INIT* PHPRC PHP_INI_SCAN_DIR
  JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH DOTNET_STARTUP_HOOKS
  GIT_*COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_CONFIG_* GIT_*EDITOR GIT_PAGER GIT_ASKPASS GIT_EXEC_PATH GIT_TEMPLATE_DIR
  SSH_ASKPASS PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL BROWSER MAKEFILES RUSTC_WRAPPER
`
  .split(/\s+/u)
  .filter((pattern) => pattern !== '');

/** npm reads its own in any case. */
const ofNpm = '[Nn][Pp][Mm]_[Cc][Oo][Nn][Ff][Ii][Gg]_.*';
const listed = new RegExp(
  `^(?:${[...patterns.map((pattern) => pattern.replace('*', '.*')), ofNpm].join('|')})$`,
  'su',
);

/** Of `PYTHON*`: what switches something and names nothing. */
const switches =
  /^PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|FAULTHANDLER|NOUSERSITE|SAFEPATH|OPTIMIZE|DEBUG|VERBOSE|DEVMODE|ASYNCIODEBUG|TRACEMALLOC|COERCECLOCALE|LEGACYWINDOWSSTDIO|NODEBUGRANGES|INTMAXSTRDIGITS|MALLOC|PROFILEIMPORTTIME|_COLORS|_GIL|_CPU_COUNT|_VERSION)$/u;

/** True for a variable that makes programs load or run something that their command line does not name. */
export function loadsCode(name: string): boolean {
  return listed.test(name) && !switches.test(name);
}

/** No pattern is shorter than three characters, or has its `*` sooner. */
const npmStarts = ['npm', 'npM', 'nPm', 'nPM', 'Npm', 'NpM', 'NPm', 'NPM'];
const starts: ReadonlySet<number> = new Set(
  [...patterns, ...npmStarts].map((pattern) =>
    startOf(pattern.charCodeAt(0), pattern.charCodeAt(1), pattern.charCodeAt(2)),
  ),
);

function startOf(first: number, second: number, third: number): number {
  return (first << 16) | (second << 8) | third;
}

/** False when {@link loadsCode} is false for every name that begins with these bytes: most need no more. */
export function mayLoadCode(first: number, second: number, third: number): boolean {
  return starts.has(startOf(first, second, third));
}

/** What a package runner sets for whatever it runs: `npm exec`, `npm run`. */
const runners = /^(?:npm_config_\w+|EDITOR)$/u;

/** True for a variable that a package runner that is itself the approved command gives to the server behind it. */
export function isRunnersOwn(name: string): boolean {
  return runners.test(name);
}

/** The name before the first `=`; the whole when there is none. */
export function nameOf(variable: string): string {
  const equals = variable.indexOf('=', 1);
  return equals === -1 ? variable : variable.slice(0, equals);
}
