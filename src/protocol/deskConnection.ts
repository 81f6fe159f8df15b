/**
 * The reviewer's and operator's end of the desk's wire: one connection, and starting a desk where there is none.
 *
 * Invariant: a message that the schema does not know ends the connection. Going on after it would show a
 * person a state that the desk does not have.
 */
import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { type FromDesk, fromDesk, protocolVersion, type ToDesk } from './desk.ts';
import { LineCutter } from './lines.ts';

/** A snapshot holds every live family, so lines from the desk may be longer than those to it. */
const maxLineFromDeskBytes = 64 * 1024 * 1024;
const welcomeTimeoutMs = 5000;
const startTimeoutMs = 5000;
const retryMs = 25;

/**
 * - `no desk`: nothing listens on the socket.
 * - `refused`: the desk answered and said no; `message` is its reason.
 * - `version`: the desk speaks another protocol number or a message was not understood.
 * - `lost`: an established connection ended.
 * - `not started`: a desk could not be started.
 */
export type DeskErrorCode = 'no desk' | 'refused' | 'version' | 'lost' | 'not started';

export class DeskError extends Error {
  override readonly name = 'DeskError';
  constructor(
    readonly code: DeskErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface DeskHello {
  readonly role: 'reviewer' | 'operator';
  /** Reviewers only: 32 random bytes, base64url. */
  readonly token?: string;
}

export interface DeskHandlers {
  /** Every message after `welcome`, in order. */
  message(message: FromDesk): void;
  /** Once, when an established connection has ended for any reason but {@link DeskConnection.close}. */
  closed(error: DeskError): void;
}

export interface DeskConnection {
  /** Whether this reviewer was enrolled just now. Absent for operators. */
  readonly enrolled: 'new' | 'known' | undefined;
  send(message: ToDesk): void;
  close(): void;
}

/**
 * Connects and says hello.
 * @throws DeskError when there is no desk, or it refused, or it speaks another version.
 */
export async function connectDesk(
  socketPath: string,
  hello: DeskHello,
  handlers: DeskHandlers,
): Promise<DeskConnection> {
  const socket = await openSocket(socketPath);
  return new Promise((resolve, reject) => {
    let welcomed = false;
    let isOver = false;
    const send = (message: ToDesk): void => {
      if (!isOver) socket.write(`${JSON.stringify(message)}\n`);
    };
    const finish = (error: DeskError): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.destroy();
      if (welcomed) handlers.closed(error);
      else reject(error);
    };
    const timer = setTimeout(() => {
      finish(new DeskError('lost', `the desk did not answer within ${welcomeTimeoutMs / 1000} s`));
    }, welcomeTimeoutMs);
    const take = (message: FromDesk): void => {
      if (message.kind === 'refused') return finish(new DeskError('refused', message.reason));
      if (welcomed) return handlers.message(message);
      if (message.kind !== 'welcome') return finish(notUnderstood(`${message.kind} before welcome`));
      if (message.protocol !== protocolVersion) {
        return finish(notUnderstood(`it speaks protocol ${message.protocol}, this is ${protocolVersion}`));
      }
      welcomed = true;
      clearTimeout(timer);
      resolve({
        enrolled: message.enrolled,
        send,
        close: () => {
          isOver = true;
          socket.end();
          socket.unref();
        },
      });
    };
    const cutter = new LineCutter(maxLineFromDeskBytes);
    socket.on('data', (chunk) => {
      for (const event of cutter.push(chunk)) {
        if (isOver) return;
        const parsed = event.kind === 'line' ? readMessage(event.bytes) : 'a line that is too long';
        if (typeof parsed === 'string') return finish(notUnderstood(parsed));
        take(parsed);
      }
    });
    socket.on('error', (error) => {
      finish(new DeskError('lost', 'the connection to the desk broke', { cause: error }));
    });
    socket.on('close', () => {
      finish(new DeskError('lost', 'the desk closed the connection'));
    });
    send({
      kind: 'hello',
      role: hello.role,
      protocol: protocolVersion,
      ...(hello.token === undefined ? {} : { token: hello.token }),
    });
  });
}

/** The message, or what is wrong with the line. */
function readMessage(bytes: Buffer): FromDesk | string {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // The text of the error would quote the line.
    return 'a line that is not JSON';
  }
  const parsed = fromDesk.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return `a message that is not valid (${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown'})`;
}

function notUnderstood(what: string): DeskError {
  return new DeskError('version', `the desk is of another version: ${what}`);
}

/** @throws DeskError `no desk` when nothing listens there. */
async function openSocket(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const failed = (error: NodeJS.ErrnoException): void => {
      const isAbsent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
      const text = isAbsent ? `no desk listens on ${path}` : `${path}: ${error.message}`;
      reject(new DeskError(isAbsent ? 'no desk' : 'lost', text, { cause: error }));
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

/** True when something accepts connections there now. */
export async function isListening(socketPath: string): Promise<boolean> {
  try {
    (await openSocket(socketPath)).destroy();
    return true;
  } catch {
    // Absent, stale or not reachable: nobody listens, whatever the reason.
    return false;
  }
}

/**
 * Starts a desk (`LAUNCHER desk` forks twice and exits) and waits until it listens.
 * @param home value for `KINWATCH_HOME`; undefined: the default places.
 * @throws DeskError `not started`, with what the launcher said.
 */
export async function startDesk(
  launcher: string,
  home: string | undefined,
  socketPath: string,
): Promise<void> {
  const until = Date.now() + startTimeoutMs;
  // Nothing of this process's environment may steer the desk.
  const env = home === undefined ? {} : { KINWATCH_HOME: home };
  await runLauncher(launcher, env);
  while (!(await isListening(socketPath))) {
    if (Date.now() >= until) {
      const text = `the desk did not listen on ${socketPath} within ${startTimeoutMs / 1000} s`;
      throw new DeskError('not started', text);
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

async function runLauncher(launcher: string, env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(launcher, ['desk'], { env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-4096);
    });
    child.once('error', (error) => {
      reject(
        new DeskError('not started', `${launcher} could not be run: ${error.message}`, { cause: error }),
      );
    });
    // `exit`, not `close`: a desk that kept the error stream open would hold this back.
    child.once('exit', (code, signal) => {
      child.stderr.destroy();
      if (code === 0) return resolve();
      const how = signal === null ? `status ${code}` : `signal ${signal}`;
      const text = said.trim() === '' ? `${launcher} desk ended with ${how}` : said.trim();
      reject(new DeskError('not started', text));
    });
  });
}

/** Connects; where there is no desk, starts one first. */
export async function connectOrStartDesk(
  place: { readonly socket: string; readonly home: string | undefined; readonly launcher: string },
  hello: DeskHello,
  handlers: DeskHandlers,
): Promise<DeskConnection> {
  try {
    return await connectDesk(place.socket, hello, handlers);
  } catch (error) {
    if (!(error instanceof DeskError) || error.code !== 'no desk') throw error;
  }
  await startDesk(place.launcher, place.home, place.socket);
  return connectDesk(place.socket, hello, handlers);
}
