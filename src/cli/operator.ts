/** The command line's connection to the desk: asks, and waits for the one answer. */
import type { FromDesk, PsSession, ToDesk } from '../protocol/desk.ts';
import { connectDesk, type DeskConnection, DeskError } from '../protocol/deskConnection.ts';
import { CommandError } from './outcome.ts';

export class Operator {
  private readonly waiting = new Set<(message: FromDesk | DeskError) => void>();
  private connection: DeskConnection | undefined;

  /** @returns null when no desk runs. @throws CommandError when it refuses or does not understand. */
  static async connect(socket: string): Promise<Operator | null> {
    const operator = new Operator();
    const tell = (message: FromDesk | DeskError): void => {
      for (const waiter of operator.waiting) waiter(message);
    };
    try {
      operator.connection = await connectDesk(socket, { role: 'operator' }, { message: tell, closed: tell });
      return operator;
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      if (error.code === 'no desk') return null;
      throw new CommandError('could not run', error.message, { cause: error });
    }
  }

  async sessions(): Promise<PsSession[]> {
    const answer = this.next((message) => (message.kind === 'sessions' ? [...message.sessions] : undefined));
    this.send({ kind: 'ps' });
    return answer;
  }

  send(message: ToDesk): void {
    this.connection?.send(message);
  }

  /**
   * The first message that `pick` takes.
   * @param about a failure counts when its reason names this; empty: every failure does.
   * @throws CommandError when the desk says it failed, or goes.
   */
  async next<T>(pick: (message: FromDesk) => T | undefined, about = ''): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiter = (message: FromDesk | DeskError): void => {
        const reason = failure(message);
        if (reason?.includes(about) === true || message instanceof DeskError) {
          this.waiting.delete(waiter);
          reject(new CommandError('could not run', reason ?? ''));
          return;
        }
        const picked = pick(message);
        if (picked === undefined) return;
        this.waiting.delete(waiter);
        resolve(picked);
      };
      this.waiting.add(waiter);
    });
  }

  close(): void {
    this.connection?.close();
  }
}

function failure(message: FromDesk | DeskError): string | undefined {
  if (message instanceof DeskError) return message.message;
  return message.kind === 'failed' ? message.reason : undefined;
}
