/** The name a person knows a destination by: one that the program's arguments give and that resolves to the address. */
import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Argument } from '../core/facts.ts';
import { hostNames } from '../core/identity/hostNames.ts';

/** A held connection waits this long for its name; without one the address is shown. */
const patienceMs = 1000;
/** As long as resolvers keep what has just been asked. */
const keptMs = 60_000;

export class Hosts {
  private readonly known = new Map<string, { readonly addresses: Promise<string[]>; readonly at: number }>();

  async nameOf(argv: readonly Argument[], address: string): Promise<string | undefined> {
    const names = hostNames(argv.filter((argument) => typeof argument === 'string'));
    if (names.length === 0) return undefined;
    const found = names.map(async (name) =>
      (await this.resolve(name)).includes(address) ? name : undefined,
    );
    const all = Promise.all(found).then((hosts) => hosts.find((host) => host !== undefined));
    return Promise.race([all, delay(patienceMs, undefined, { ref: false })]);
  }

  private resolve(name: string): Promise<string[]> {
    const before = this.known.get(name);
    const now = performance.now();
    if (before !== undefined && now - before.at < keptMs) return before.addresses;
    const addresses = lookup(name, { all: true }).then(
      (found) => found.map((entry) => entry.address),
      () => [], // no such name: then it is not the one
    );
    for (const [other, { at }] of this.known) if (now - at >= keptMs) this.known.delete(other);
    this.known.set(name, { addresses, at: now });
    return addresses;
  }
}
