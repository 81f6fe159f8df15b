/** Unix sockets that mean something: what stands behind a path, and whether a family may reach it at all. */

/** What listens there, in words for a sentence: "hand work to …". */
export interface Service {
  readonly name: string;
  /** What it can do for whoever reaches it, in one sentence. */
  readonly reach: string;
}

export type SocketMeaning =
  | { readonly kind: 'service'; readonly service: Service }
  /** Never asked: reaching it would let a family answer for its reviewer. */
  | {
      readonly kind: 'forbidden';
      readonly rule: 'control socket of Kinwatch' | 'control socket of an editor' | 'display';
    }
  | { readonly kind: 'unknown' };

const starts = 'It can start programs outside this family.';
const signs = 'It can sign in to other machines with the keys it holds.';

const services: readonly (readonly [pattern: RegExp, name: string, reach: string])[] = [
  [
    /\/docker\.sock$/u,
    'Docker',
    'It can start containers outside this family, with any folder of this machine.',
  ],
  [
    /\/podman\.sock$/u,
    'Podman',
    'It can start containers outside this family, with any folder you can read.',
  ],
  [/\/(?:containerd|buildkitd|crio)\.sock$/u, 'the container service', starts],
  [/\/(?:lxd|incus)\/unix\.socket$/u, 'the container service', starts],
  [/\/libvirt\/[^/]+-sock(?:-ro)?$/u, 'the virtual machine service', starts],
  [/\/systemd\/(?:private|io\.systemd\.[\w.]+)$|\/systemd\/(?:userdb|notify)/u, 'systemd', starts],
  [/\/dbus\/system_bus_socket$/u, 'D-Bus (system)', 'It can ask system services to act, systemd among them.'],
  [
    /\/run\/user\/\d+\/bus$|\/dbus-[\w]+$|\/dbus\/user_bus_socket$/u,
    'D-Bus (session)',
    'It can start programs outside this family and read stored secrets, Kinwatch’s reviewer token among them.',
  ],
  [/\/keyring\/(?:control|pkcs11)$/u, 'the keyring', 'It can read stored secrets.'],
  [
    /\/keyring\/ssh$|\/ssh-[\w]+\/agent\.\d+$|\/agent\.sock$|\/ssh-agent(?:\.socket)?$/u,
    'the ssh agent',
    signs,
  ],
  [/\/S\.gpg-agent(?:\.\w+)?$/u, 'the GnuPG agent', 'It can sign and decrypt with your keys.'],
  [
    /\/(?:\.ssh\/.*(?:cm|control|master|mux)|ssh_mux|\.?ssh[-_]?(?:cm|control|mux))[^/]*(?:\/[^/]+)?$/iu,
    'an open ssh connection',
    'It can run commands on the machine that connection leads to.',
  ],
  [/\/tmux-\d+\/[^/]+$/u, 'tmux', 'It can type into your terminals.'],
  [/\/(?:S-[^/]+|\.screen)\/[^/]+$/u, 'screen', 'It can type into your terminals.'],
  [/\/snapd(?:-snap)?\.socket$/u, 'snapd', starts],
];

const editors =
  /\/(?:vscode-(?:ipc|git|remote|server)[^/]*|code-server-ipc|code-[\w.-]+-main|[^/]*-(?:main|shared)\.sock|\d[\w.]*-(?:main|shared))(?:\.sock)?$/u;
const displays = /\/\.X11-unix\/X\d+$|\/wayland-\d+$/u;

/**
 * @param path real path of the socket's file.
 * @param kinwatch Kinwatch's own folders.
 * @param agent the path that `SSH_AUTH_SOCK` named for the client; absent when it named none.
 */
export function meaningOf(path: string, kinwatch: readonly string[], agent?: string): SocketMeaning {
  if (kinwatch.some((folder) => path === folder || path.startsWith(`${folder}/`)))
    return { kind: 'forbidden', rule: 'control socket of Kinwatch' };
  if (editors.test(path)) return { kind: 'forbidden', rule: 'control socket of an editor' };
  if (displays.test(path)) return { kind: 'forbidden', rule: 'display' };
  if (path === agent) return { kind: 'service', service: { name: 'the ssh agent', reach: signs } };
  const found = services.find(([pattern]) => pattern.test(path));
  return found === undefined
    ? { kind: 'unknown' }
    : { kind: 'service', service: { name: found[1], reach: found[2] } };
}
