/** Runs `@modelcontextprotocol/conformance` against an address. */
import { spawn } from 'node:child_process';
import { inCheckout } from '../process/rig.ts';

export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  /** One line per scenario with its own counts. */
  readonly scenarios: readonly string[];
}

/** `active` has no scenario that is pending; both together are the suite's `all`. */
export type SuiteName = 'active' | 'pending';

const entry = inCheckout('node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** @throws when the suite gives no total. */
export async function runSuite(url: string, suite: SuiteName): Promise<SuiteResult> {
  // The suite's own `engines`: 22 or later; the test step names one where this Node is older.
  const node = process.env['KINWATCH_CONFORMANCE_NODE'] ?? process.execPath;
  const child = spawn(node, [entry, 'server', '--url', url, '--suite', suite], {
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  await new Promise((done, fail) => child.on('close', done).on('error', fail));
  const total = /^Total: (?<passed>\d+) passed, (?<failed>\d+) failed/mu.exec(output)?.groups;
  if (total === undefined) throw new Error(`the suite gave no total:\n${output}`);
  return {
    passed: Number(total['passed']),
    failed: Number(total['failed']),
    scenarios: output.split('\n').filter((line) => /^[✓✗] /u.test(line)),
  };
}
