/** Listening to one controlled session: what came, in its order, and waiting for more. */
import { randomUUID } from 'node:crypto';
import type { ControlledSession, TurnEvent } from '../../src/client/session-control.ts';
import type { TurnTerminal } from '../../src/wire/turn.ts';

export class Watch {
  readonly session: ControlledSession;
  readonly events: TurnEvent[] = [];

  constructor(session: ControlledSession) {
    this.session = session;
    session.onEvent((event) => {
      if ('sequence' in event) this.events.push(event);
    });
  }

  /** What the claim's snapshot held, and the deltas behind it. */
  get text(): string {
    const deltas = this.events.map((event) => (event.type === 'delta' ? event.text : ''));
    return [this.session.snapshot.turn?.assistant_text ?? '', ...deltas].join('');
  }

  /** Waits until so many deltas have come. */
  async deltas(count: number): Promise<void> {
    while (this.events.filter(({ type }) => type === 'delta').length < count) await this.#next();
  }

  /** The first terminal that comes, or came. */
  async terminal(): Promise<TurnTerminal> {
    while (true) {
      for (const event of this.events) if (event.type === 'terminal') return event.terminal;
      await this.#next();
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.session.onEvent(() => {
        stop();
        resolve();
      });
    });
  }
}

/** Starts a turn and waits for its end. */
export async function runTurn(
  session: ControlledSession,
  prompt: string,
): Promise<{ watch: Watch; terminal: TurnTerminal; turnId: string; operationId: string }> {
  const watch = new Watch(session);
  const operationId = randomUUID();
  const turnId = await session.startTurn(prompt, operationId);
  return { watch, terminal: await watch.terminal(), turnId, operationId };
}
