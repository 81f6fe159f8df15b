/** Vectors of strings out of a real process's memory, wherever its strings lie. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { TargetMemory } from '../../src/kernel/memory.ts';

/**
 * Lays out strings and a vector of pointers to them in pages of its own; those of `gaps` can't be read.
 */
const layout = `
import base64, ctypes, json, mmap, sys
libc = ctypes.CDLL(None, use_errno=True)
size = 4096 * 256
page = mmap.mmap(-1, size)
base = ctypes.addressof(ctypes.c_char.from_buffer(page))
print(base, flush=True)
for line in sys.stdin:
    order = json.loads(line)
    libc.mprotect(ctypes.c_void_p(base), size, 3)
    for at, text in order["strings"]:
        data = base64.b64decode(text) + b"\\0"
        page[at:at + len(data)] = data
    for index, pointer in enumerate(order["pointers"]):
        at = order["vector"] + 8 * index
        page[at:at + 8] = pointer.to_bytes(8, "little")
    for gap in order["gaps"]:
        libc.mprotect(ctypes.c_void_p(base + 4096 * gap), 4096, 0)
    print("ready", flush=True)
`;

const regionPages = 256;
/** The last pages hold the vector. */
const vectorAt = 4096 * 220;

interface Order {
  readonly strings: readonly (readonly [at: number, text: string])[];
  readonly pointers: readonly number[];
  readonly vector: number;
  readonly gaps: readonly number[];
}

interface Target {
  readonly pid: number;
  readonly base: bigint;
  place(order: Order): Promise<void>;
}

async function target(t: TestContext): Promise<Target> {
  const child = spawn('/usr/bin/python3', ['-c', layout], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const base = BigInt((await lines.next()).value ?? '');
  return {
    pid: child.pid ?? -1,
    base,
    place: async (order) => {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      assert.equal((await lines.next()).value, 'ready');
    },
  };
}

const text = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 3900, max: 9000 }).map((length) => 'x'.repeat(length)) },
);

/** Strings one behind the other, with leaps between them; some are named twice, in any order. */
const vectors = fc
  .array(fc.record({ text, leap: fc.oneof(fc.constant(0), fc.nat(9000)) }), { maxLength: 60 })
  .chain((parts) => {
    const strings: [number, Buffer][] = [];
    let at = 0;
    for (const { text: each, leap } of parts) {
      const bytes = Buffer.from(each.replaceAll('\0', ' '));
      if (at + leap + bytes.length + 1 >= vectorAt) break;
      strings.push([at + leap, bytes]);
      at += leap + bytes.length + 1;
    }
    return fc.record({
      strings: fc.constant(strings),
      picked:
        strings.length === 0
          ? fc.constant<number[]>([])
          : fc.array(fc.nat(strings.length - 1), { maxLength: 90 }),
      inOrder: fc.boolean(),
      unaligned: fc.boolean(),
    });
  });

test('every string of a vector is read as it is, in its order', async (t) => {
  const child = await target(t);
  const memory = new TargetMemory();
  await fc.assert(
    fc.asyncProperty(vectors, async ({ strings, picked, inOrder, unaligned }) => {
      const chosen = inOrder ? strings : picked.flatMap((index) => strings.slice(index, index + 1));
      const used = new Set<number>();
      for (const [at, bytes] of strings)
        for (let page = at >> 12; page <= (at + bytes.length) >> 12; page += 1) used.add(page);
      const gaps = Array.from({ length: vectorAt >> 12 }, (_, page) => page).filter(
        (page) => !used.has(page),
      );
      const vector = vectorAt + (unaligned ? 4091 : 0);
      await child.place({
        strings: strings.map(([at, bytes]) => [at, bytes.toString('base64')]),
        pointers: [...chosen.map(([at]) => Number(child.base) + at), 0],
        vector,
        gaps,
      });
      const address = child.base + BigInt(vector);
      const whole = memory.readVector(child.pid, address, 4 * 1024 * 1024);
      const expected = chosen.map(([, bytes]) => bytes.toString('latin1'));
      assert.deepEqual(
        whole?.strings.map((bytes) => bytes.toString('latin1')),
        expected,
      );
      const sizeBytes = chosen.reduce((sum, [, bytes]) => sum + bytes.length + 8, 0);
      assert.deepEqual([whole?.sizeBytes, whole?.truncated], [sizeBytes, false]);
      const some = memory.readVector(child.pid, address, sizeBytes, (bytes, from) => bytes[from] === 0x78);
      assert.deepEqual(
        some?.strings.map((bytes) => bytes.toString('latin1')),
        expected.filter((each) => each.startsWith('x')),
      );
      if (sizeBytes > 0) assert.equal(memory.readVector(child.pid, address, sizeBytes - 1)?.truncated, true);
    }),
    { numRuns: 300 },
  );
});

test('no vector, one that is no memory, a string that is none, an address that no process has', async (t) => {
  const child = await target(t);
  const memory = new TargetMemory();
  const limit = 128 * 1024;
  const address = child.base + BigInt(vectorAt);
  assert.deepEqual(memory.readVector(child.pid, 0n, limit), { strings: [], sizeBytes: 0, truncated: false });
  assert.equal(memory.readVector(child.pid, 4096n, limit), undefined);
  const place = (pointers: readonly number[], gaps: readonly number[] = []): Promise<void> =>
    child.place({ strings: [[0, 'eA==']], pointers, vector: vectorAt, gaps });
  await place([Number(child.base), 4096, 0]);
  assert.equal(memory.readVector(child.pid, address, limit), undefined);
  await place([Number(child.base), 2 ** 60, 0]);
  assert.equal(memory.readVector(child.pid, address, limit), undefined);
  // A string without an end before memory that can't be read.
  const long = Buffer.alloc(4096 * 2, 'y').toString('base64');
  await child.place({
    strings: [[0, long]],
    pointers: [Number(child.base), 0],
    vector: vectorAt,
    gaps: [1],
  });
  assert.equal(memory.readVector(child.pid, address, limit)?.truncated, true);
  // Without an end of its own, up to the end of what can be read.
  await child.place({
    strings: [],
    pointers: Array.from({ length: (4096 * (regionPages - 220)) / 8 }, () => Number(child.base)),
    vector: vectorAt,
    gaps: [],
  });
  assert.equal(memory.readVector(child.pid, address, 1024)?.truncated, true);
});
