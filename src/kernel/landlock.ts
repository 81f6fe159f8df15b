/**
 * A Landlock domain (`landlock(7)`) without file rules: only the scopes that keep a family's signals and
 * abstract sockets inside it. Any domain also keeps members from tracing processes outside, /proc access included.
 */
import { errno, KernelError, libc, syscallPointerFirst } from './libc.ts';
import { syscalls } from './numbers.ts';

const CREATE_RULESET_VERSION = 1;
const SCOPE_ABSTRACT_UNIX_SOCKET = 1;
const SCOPE_SIGNAL = 2;
/** First ABI with scopes: kernel 6.12. */
const scopesAbi = 6;
/** `LANDLOCK_ACCESS_FS_MAKE_BLOCK`: a right to give up where an ABI without scopes wants at least one. */
const ACCESS_FS_MAKE_BLOCK = 1 << 11;

/** The kernel's Landlock ABI; 0 when there is none. */
export function landlockAbi(): number {
  const abi = syscallPointerFirst(
    syscalls().landlockCreateRuleset,
    Buffer.alloc(0),
    0,
    CREATE_RULESET_VERSION,
  );
  return Math.max(abi, 0);
}

/** What the domain keeps inside: everything named, or only tracing on a kernel without scopes. */
export type Domain = 'signals, abstract sockets and tracing' | 'tracing only' | 'none';

/**
 * Puts the calling *thread* into a new domain; what it spawns inherits it. Needs no_new_privs.
 *
 * @throws KernelError when the kernel has Landlock and yet refuses.
 */
export function enterDomain(): Domain {
  const abi = landlockAbi();
  if (abi === 0) return 'none';
  const scoped = abi >= scopesAbi;
  // struct landlock_ruleset_attr: handled_access_fs, handled_access_net (ABI 4), scoped (ABI 6).
  const attributes = Buffer.alloc(scoped ? 24 : 8);
  if (scoped) attributes.writeBigUInt64LE(BigInt(SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL), 16);
  else attributes.writeBigUInt64LE(BigInt(ACCESS_FS_MAKE_BLOCK), 0);
  const ruleset = syscallPointerFirst(syscalls().landlockCreateRuleset, attributes, attributes.length, 0);
  if (ruleset < 0) throw new KernelError('landlock_create_ruleset', errno());
  try {
    if (libc.syscall(syscalls().landlockRestrictSelf, ruleset, 0, 0, 0, 0) !== 0) {
      throw new KernelError('landlock_restrict_self', errno());
    }
  } finally {
    libc.close(ruleset);
  }
  return scoped ? 'signals, abstract sockets and tracing' : 'tracing only';
}
