/** Entry of the command line. Composes, nothing else. */
import { writeSync } from 'node:fs';
import { main } from './cli/main.ts';

const installation = {
  dist: __dirname,
  node: process.execPath,
  electron: process.versions['electron'] !== undefined,
};
const output = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
};

void main(process.argv.slice(2), installation, output).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    writeSync(2, `kinwatch: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 3;
  },
);
