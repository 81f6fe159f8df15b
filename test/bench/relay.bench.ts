/**
 * What the relay costs, in ratios taken in one run: a bare server, the same behind the relay in a process of
 * its own, behind a plain pass-through (what one more process costs by itself) and behind `kinwatch run`.
 *
 * The file is also the other two processes: `relay COMMAND…`, `pass COMMAND…`, `server`;
 * `alone` takes the last rows only.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { LineCutter } from '../../src/protocol/lines.ts';
import { closeFd } from '../../src/kernel/pidfd.ts';
import { socketPair } from '../../src/kernel/socketPair.ts';
import { clientStreams, pipeOpener } from '../../src/supervisor/streams.ts';
import { Relay } from '../../src/supervisor/relay/relay.ts';
import { Asker, begin, Bench, median } from './asker.ts';

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
  const streams = clientStreams();
  const [stdin, stdout] = [socketPair(), socketPair()];
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: [stdin[1], stdout[1], 'inherit'] });
  for (const fd of [stdin[1], stdout[1]]) closeFd(fd);
  const relay = new Relay({
    clientIn: streams.clientIn,
    clientOut: streams.clientOut,
    events: {
      request: () => undefined,
      result: () => undefined,
      claims: () => undefined,
      initialized: () => undefined,
      clientEnded: () => relay.endServerInput(),
      fault: (text) => process.stderr.write(`${text}\n`),
    },
  });
  relay.attach(new Socket({ fd: stdin[0], readable: false, writable: true }), pipeOpener(stdout[0]));
  child.once('exit', (code) => void relay.serverEnded(`exit code ${code}`, '').then(() => process.exit(0)));
}

function passed(): void {
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  child.once('exit', () => process.exit(0));
}

interface Way {
  readonly name: 'bare' | 'relay' | 'pass-through' | 'kinwatch run';
  readonly asker: Asker;
  readonly timesMs: number[];
}

/** Milliseconds by way: the median, and the fastest tenth, which a busy machine disturbs least. */
type Times = Record<Way['name'], { readonly median: number; readonly tenth: number }>;

/** Rounds of one call each way, interleaved so that a busy machine meets all alike. */
async function compare(
  kinwatch: Bench,
  server: readonly string[],
  rounds: number,
  params: unknown,
): Promise<Times> {
  const node = [process.execPath, self];
  const ways: Way[] = [
    { name: 'bare', asker: Asker.of(server), timesMs: [] },
    { name: 'pass-through', asker: Asker.of([...node, 'pass', ...server]), timesMs: [] },
    { name: 'relay', asker: Asker.of([...node, 'relay', ...server]), timesMs: [] },
  ];
  const warm = Math.ceil(rounds / 5);
  for (const { asker } of ways) await asker.ask('initialize', begin);
  const supervised = await kinwatch.kinwatch(server.slice(1).join(' ').slice(-40), server);
  ways.push({ name: 'kinwatch run', asker: supervised, timesMs: [] });
  for (let round = -warm; round < rounds; round++) {
    for (const { asker, timesMs } of ways) {
      const from = performance.now();
      await asker.ask('tools/call', params);
      if (round >= 0) timesMs.push(performance.now() - from);
    }
  }
  for (const { asker } of ways) await asker.close();
  return Object.fromEntries(
    ways.map(({ name, timesMs }) => [
      name,
      { median: median(timesMs), tenth: timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length / 10)] },
    ]),
  ) as Times;
}

async function bench(): Promise<void> {
  const kinwatch = new Bench();
  const echo = [process.execPath, self, 'server'];
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'kinwatch-bench-')));
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-filesystem/package.json',
  );
  const filesystem = [process.execPath, join(dirname(manifest), 'dist/index.js'), folder];
  const file = join(folder, 'mebibyte.txt');
  await writeFile(file, 'All work and no play "makes" Jack.\n'.repeat(mebibyte / 35));
  const size = (bytes: number) => ({ name: 'text', arguments: { size: bytes } });

  const row = (name: string, { bare, ...others }: Times): void => {
    console.log(`\n${name}: bare ${bare.median.toFixed(3)} ms (fastest tenth ${bare.tenth.toFixed(3)})`);
    for (const [way, { median: middle, tenth }] of Object.entries(others)) {
      const added = `+${(middle - bare.median).toFixed(3)} ms`.padStart(12);
      const times = `${(middle / bare.median).toFixed(2)}×`;
      const fastest = `${(tenth / bare.tenth).toFixed(2)}× (+${(tenth - bare.tenth).toFixed(3)} ms)`;
      const throughput = (bare.median / middle).toFixed(2);
      console.log(
        `  ${way.padEnd(13)}${added}  ${times}  fastest tenth ${fastest}  throughput ${throughput}×`,
      );
    }
  };
  const directories = { name: 'list_allowed_directories', arguments: {} };
  row('2,000 small calls, filesystem server', await compare(kinwatch, filesystem, 600, directories));
  row('2,000 small calls, minimal server', await compare(kinwatch, echo, 2000, size(16)));
  row(
    '60 results of 1 MiB, filesystem server',
    await compare(kinwatch, filesystem, 60, { name: 'read_text_file', arguments: { path: file } }),
  );
  row('60 results of 1 MiB, minimal server', await compare(kinwatch, echo, 60, size(mebibyte)));
  row('5 results of 25 MiB, minimal server', await compare(kinwatch, echo, 5, size(25 * mebibyte)));
  await rm(folder, { recursive: true });
  await kinwatch.close();
  await inOneProcess();
}

/** By itself with `alone`. */
async function inOneProcess(): Promise<void> {
  const small = await cpuPerFrame(16, 20_000);
  const pairs: (readonly [one: number, many: number])[] = [];
  for (let i = 0; i < 7; i++) {
    pairs.push([(await cpuPerFrame(mebibyte, 50)) / 1000, (await cpuPerFrame(25 * mebibyte, 4)) / 25_000]);
  }
  console.log(`processor time of the relay with both ends in one process, so that load does not count:`);
  console.log(`  a small result ${small.toFixed(1)} µs`);
  console.log(`  1 MiB ${median(pairs.map(([of1]) => of1)).toFixed(2)} ms`);
  console.log(`  25 MiB ${median(pairs.map(([, of25]) => of25)).toFixed(2)} ms per MiB`);
  console.log(
    `  per byte, 25 MiB against 1 MiB: ${median(pairs.map(([of1, of25]) => of25 / of1)).toFixed(2)}`,
  );
}

/** Processor time in µs for one result of this size: the relay, and the two ends' own writing and reading. */
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
  const [toClient, fromServer] = [socketPair(), socketPair()];
  const ends = [
    new Socket({ fd: toClient[0], readable: false, writable: true }),
    new Socket({ fd: fromServer[1], readable: false, writable: true }),
  ] as const;
  const [clientOut, server] = ends;
  new Relay({ clientIn: new PassThrough(), clientOut, events }).attach(
    new PassThrough(),
    pipeOpener(fromServer[0]),
  );
  const text = 'All work and no play "makes" Jack.\n'.repeat(bytes / 36 + 1).slice(0, bytes);
  const line = Buffer.from(`${JSON.stringify({ method: 'note', params: { text } })}\n`);
  let seen = 0;
  let whole: () => void = quiet;
  const read = Buffer.alloc(1 << 18);
  const took = (got: number): void => {
    seen += got;
    if (seen % line.length === 0) whole();
  };
  const client = pipeOpener(toClient[1])({ room: () => read, took });
  client.resume();
  const send = async (): Promise<void> => {
    const arrived = new Promise<void>((resolve) => (whole = resolve));
    server.write(line);
    await arrived;
  };
  for (let i = 0; i < count / 4; i++) await send();
  const from = process.cpuUsage();
  for (let i = 0; i < count; i++) await send();
  const { user, system } = process.cpuUsage(from);
  for (const end of [...ends, client]) end.destroy();
  return (user + system) / count;
}

if (mode === 'server') serve();
else if (mode === 'relay') relayed();
else if (mode === 'pass') passed();
else if (mode === 'alone') await inOneProcess();
else await bench();
