/**
 * `lossyRelay COMMAND ARG…`: passes a stdio server on with two faults, which the suite must notice. Progress is
 * lost, and a question to the person is cancelled here instead of being passed on.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [command = '', ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(server.stdin);
server.on('exit', (code) => process.exit(code ?? 1));
createInterface({ input: server.stdout }).on('line', (line) => {
  const { method, id } = JSON.parse(line) as { method?: string; id?: unknown };
  if (method === 'notifications/progress') return;
  if (method === 'elicitation/create') {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'cancel' } })}\n`);
  } else process.stdout.write(`${line}\n`);
});
