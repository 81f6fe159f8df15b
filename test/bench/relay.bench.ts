/**
 * What the relay costs, in ratios taken in one run: a bare server, the same behind the relay in a process of
 * its own, and the same behind a plain pass-through (what one more process costs by itself).
 *
 * The file is also the other two processes: `relay COMMAND…`, `pass COMMAND…`, `server`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LineCutter } from '../../src/protocol/lines.ts';
import { Relay } from '../../src/supervisor/relay/relay.ts';

const self = fileURLToPath(import.meta.url);
const [mode, ...command] = process.argv.slice(2);
const mebibyte = 1 << 20;

/** Answers every call with as many bytes of text as it asks for. */
function serve(): void {
  const texts = new Map<number, string>();
  const cutter = new LineCutter(1 << 30);
  process.stdin.on('data', (chunk: Buffer) => {
    for (const event of cutter.push(chunk)) {
      if (event.kind !== 'line') continue;
      const { id, params } = JSON.parse(event.bytes.toString());
      const size: number = params.arguments.size ?? 16;
      // Prose with the odd escape, in pieces of 4 KiB.
      const text =
        texts.get(size) ?? 'All work and no play "makes" Jack.\n'.repeat(size / 36 + 1).slice(0, size);
      texts.set(size, text);
      process.stdout.write(
        `${JSON.stringify({ result: { content: [{ type: 'text', text }] }, jsonrpc: '2.0', id })}\n`,
      );
    }
  });
}

function relayed(): void {
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  const relay = new Relay({
    clientIn: process.stdin,
    clientOut: process.stdout,
    events: {
      request: () => undefined,
      result: () => undefined,
      claims: () => undefined,
      initialized: () => undefined,
      clientEnded: () => relay.endServerInput(),
      fault: (text) => process.stderr.write(`${text}\n`),
    },
  });
  relay.attach(child.stdin, child.stdout);
  child.once('exit', (code) => void relay.serverEnded(`exit code ${code}`, '').then(() => process.exit(0)));
}

function passed(): void {
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  child.once('exit', () => process.exit(0));
}

/** A client that asks one thing at a time. */
class Asker {
  private readonly child: ChildProcess;
  private readonly cutter = new LineCutter(1 << 30);
  private id = 0;
  private answered: (line: Buffer) => void = () => undefined;

  constructor(argv: readonly string[]) {
    this.child = spawn(argv[0] ?? '', argv.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      for (const event of this.cutter.push(chunk)) if (event.kind === 'line') this.answered(event.bytes);
    });
  }

  async ask(method: string, params: unknown): Promise<void> {
    const line = new Promise<Buffer>((resolve) => (this.answered = resolve));
    this.child.stdin?.write(`${JSON.stringify({ method, params, jsonrpc: '2.0', id: this.id++ })}\n`);
    const answer = JSON.parse((await line).toString());
    if (answer.error !== undefined) throw new Error(answer.error.message);
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    await once(this.child, 'exit');
  }
}

interface Way {
  readonly name: 'bare' | 'relay' | 'pass-through';
  readonly asker: Asker;
  readonly timesMs: number[];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Rounds of one call each way, interleaved so that a busy machine meets all three alike. @returns medians in ms. */
async function compare(
  server: readonly string[],
  rounds: number,
  params: unknown,
): Promise<Record<Way['name'], number>> {
  const node = [process.execPath, self];
  const ways: Way[] = [
    { name: 'bare', asker: new Asker(server), timesMs: [] },
    { name: 'pass-through', asker: new Asker([...node, 'pass', ...server]), timesMs: [] },
    { name: 'relay', asker: new Asker([...node, 'relay', ...server]), timesMs: [] },
  ];
  const begin = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
    arguments: {},
  };
  const warm = Math.ceil(rounds / 5);
  for (const { asker } of ways) await asker.ask('initialize', begin);
  for (let round = -warm; round < rounds; round++) {
    for (const { asker, timesMs } of ways) {
      const from = performance.now();
      await asker.ask('tools/call', params);
      if (round >= 0) timesMs.push(performance.now() - from);
    }
  }
  for (const { asker } of ways) await asker.close();
  return Object.fromEntries(ways.map(({ name, timesMs }) => [name, median(timesMs)])) as Record<
    Way['name'],
    number
  >;
}

async function bench(): Promise<void> {
  const echo = [process.execPath, self, 'server'];
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'kinwatch-bench-')));
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-filesystem/package.json',
  );
  const filesystem = [process.execPath, join(dirname(manifest), 'dist/index.js'), folder];
  const file = join(folder, 'mebibyte.txt');
  await writeFile(file, 'All work and no play "makes" Jack.\n'.repeat(mebibyte / 35));
  const size = (bytes: number) => ({ name: 'text', arguments: { size: bytes } });

  const rows: Record<string, Record<string, string>> = {};
  const row = (name: string, got: Record<Way['name'], number>): void => {
    rows[name] = {
      'bare ms': got.bare.toFixed(3),
      'pass-through ms': got['pass-through'].toFixed(3),
      'relay ms': got.relay.toFixed(3),
      'added ms': (got.relay - got.bare).toFixed(3),
      'time ratio': (got.relay / got.bare).toFixed(2),
      'throughput ratio': (got.bare / got.relay).toFixed(2),
    };
  };
  const directories = { name: 'list_allowed_directories', arguments: {} };
  row('2,000 small calls, filesystem server', await compare(filesystem, 600, directories));
  row('2,000 small calls, minimal server', await compare(echo, 2000, size(16)));
  row(
    '60 results of 1 MiB, filesystem server',
    await compare(filesystem, 60, { name: 'read_text_file', arguments: { path: file } }),
  );
  const one = await compare(echo, 60, size(mebibyte));
  row('60 results of 1 MiB, minimal server', one);
  const many = await compare(echo, 5, size(25 * mebibyte));
  row('5 results of 25 MiB, minimal server', many);
  await rm(folder, { recursive: true });
  console.table(rows);
  const small = await cpuPerFrame(16, 20_000);
  const pairs: (readonly [one: number, many: number])[] = [];
  for (let i = 0; i < 7; i++) {
    pairs.push([(await cpuPerFrame(mebibyte, 50)) / 1000, (await cpuPerFrame(25 * mebibyte, 4)) / 25_000]);
  }
  console.log(`processor time of the relay itself (in memory, so that load does not count):`);
  console.log(`  a small result ${small.toFixed(1)} µs`);
  console.log(`  1 MiB ${median(pairs.map(([of1]) => of1)).toFixed(2)} ms`);
  console.log(`  25 MiB ${median(pairs.map(([, of25]) => of25)).toFixed(2)} ms per MiB`);
  console.log(
    `  per byte, 25 MiB against 1 MiB: ${median(pairs.map(([of1, of25]) => of25 / of1)).toFixed(2)}`,
  );
}

/** Processor time in µs for one result of this size that comes in chunks of 64 KiB. */
async function cpuPerFrame(bytes: number, count: number): Promise<number> {
  const quiet = (): void => undefined;
  const events = {
    request: quiet,
    result: quiet,
    claims: quiet,
    initialized: quiet,
    clientEnded: quiet,
    fault: quiet,
  };
  const [clientIn, clientOut, serverIn, serverOut] = [
    new PassThrough(),
    new PassThrough(),
    new PassThrough(),
    new PassThrough(),
  ];
  new Relay({ clientIn, clientOut, events }).attach(serverIn, serverOut);
  const text = 'All work and no play "makes" Jack.\n'.repeat(bytes / 36 + 1).slice(0, bytes);
  const line = Buffer.from(`${JSON.stringify({ method: 'note', params: { text } })}\n`);
  let seen = 0;
  let whole: () => void = quiet;
  clientOut.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (seen % line.length === 0) whole();
  });
  const send = async (): Promise<void> => {
    const arrived = new Promise<void>((resolve) => (whole = resolve));
    for (let at = 0; at < line.length; at += 65_536) serverOut.write(line.subarray(at, at + 65_536));
    await arrived;
  };
  for (let i = 0; i < count / 4; i++) await send();
  const from = process.cpuUsage();
  for (let i = 0; i < count; i++) await send();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / count;
}

if (mode === 'server') serve();
else if (mode === 'relay') relayed();
else if (mode === 'pass') passed();
else await bench();
