/** Reads the command line and runs one command. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Places, placesOfUser, PlacesError } from '../protocol/places.ts';
import { contain } from './contain.ts';
import { startDesk } from './desk.ts';
import { doctor } from './doctor.ts';
import { messages } from './messages.ts';
import { CommandError, exit, type ExitCode, type Installation, type Output } from './outcome.ts';
import { ps } from './ps.ts';
import { run } from './run.ts';

/** Commands of later versions (DESIGN §7). */
const later = new Set(['audit', 'gateway', 'credential', 'inventory', 'drill', 'import']);

/** @param argv without the interpreter and the script. */
export async function main(
  argv: readonly string[],
  installation: Installation,
  output: Output,
): Promise<ExitCode> {
  try {
    return await dispatch(argv, installation, output);
  } catch (error) {
    if (error instanceof CommandError) {
      output.err(`${messages.prefix}${error.message}\n`);
      return error.code === 'usage' ? exit.usage : exit.couldNotRun;
    }
    if (error instanceof PlacesError) {
      output.err(`${messages.prefix}${error.message}\n`);
      return exit.couldNotRun;
    }
    throw error;
  }
}

async function dispatch(
  argv: readonly string[],
  installation: Installation,
  output: Output,
): Promise<ExitCode> {
  const [command, ...args] = argv;
  switch (command) {
    case 'run':
      return run(args, installation);
    case 'ps':
      return ps(places().socket, parsed(args, 0).json, output);
    case 'contain':
      return containCommand(args, output);
    case 'doctor':
      return doctor(parsed(args, 0).json, installation, output);
    case 'desk':
      await startDesk(places(), installation);
      return exit.done;
    case '--version':
      output.out(`${version(installation)}\n`);
      return exit.done;
    case '--help':
    case '-h':
    case 'help':
      output.out(messages.usage);
      return exit.done;
    case undefined:
      output.err(messages.usage);
      return exit.usage;
    default:
      throw later.has(command)
        ? new CommandError('could not run', messages.notInThisVersion(command))
        : new CommandError('usage', messages.unknownCommand(command));
  }
}

async function containCommand(args: readonly string[], output: Output): Promise<ExitCode> {
  const { json, all, positionals } = parsed(args, 1);
  const [session] = positionals;
  if ((session === undefined) !== all) throw new CommandError('usage', messages.containWhat);
  return contain(places().socket, { session, json }, output);
}

interface Parsed {
  readonly json: boolean;
  readonly all: boolean;
  readonly positionals: readonly string[];
}

function parsed(args: readonly string[], mostPositionals: number): Parsed {
  let result;
  try {
    result = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean' }, ...(mostPositionals === 0 ? {} : { all: { type: 'boolean' } }) },
      allowPositionals: mostPositionals > 0,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError('usage', messages.badArguments(reason.replace(/\.$/u, '')), { cause: error });
  }
  const { values, positionals } = result;
  if (positionals.length > mostPositionals) throw new CommandError('usage', messages.containWhat);
  return { json: values.json === true, all: 'all' in values && values.all === true, positionals };
}

function places(): Places {
  return placesOfUser(process.env['KINWATCH_HOME']);
}

function version(installation: Installation): string {
  const manifest: unknown = JSON.parse(readFileSync(join(installation.dist, '..', 'package.json'), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest ? String(manifest.version) : 'unknown';
}
