/**
 * `npm run advisories`: known vulnerabilities of what is shipped, by `npm audit`. Some registries answer no such
 * queries: it says so then and passes, so read the last line.
 */
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });

/** @returns {Record<string, number> | undefined} counts by severity; undefined when the registry did not answer */
function counts() {
  try {
    return JSON.parse(stdout).metadata?.vulnerabilities;
  } catch {
    return undefined; // no JSON: npm said why on stderr
  }
}

const found = counts();
if (found === undefined) {
  console.log('advisories: NOT CHECKED, this registry answers no audit queries');
} else {
  const { total = 0, high = 0, critical = 0 } = found;
  console.log(`advisories: ${total} known, ${high} high, ${critical} critical`);
  if (high + critical > 0) process.exitCode = 1;
}
