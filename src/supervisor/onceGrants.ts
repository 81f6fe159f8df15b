/** Connections allowed once: for the process that asked, until one of the addresses tried for it has answered. */
import type { Member } from '../watch/seccomp/members.ts';

/** For the next addresses of the same name; longer, and it would be another connection. */
const onceMs = 30_000;

export class OnceGrants {
  private readonly grants = new Map<string, { readonly member: Member; readonly until: number }>();

  add(key: string, member: Member): void {
    this.grants.set(key, { member, until: performance.now() + onceMs });
  }

  allows(key: string, member: Member): boolean {
    const grant = this.grants.get(key);
    return grant?.member === member && grant.until > performance.now();
  }

  /** An address answered, or the process has ended. */
  spend(member: Member): void {
    for (const [key, grant] of this.grants) if (grant.member === member) this.grants.delete(key);
  }
}
