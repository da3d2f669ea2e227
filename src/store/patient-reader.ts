/** A reading that may fail: what is shown stays, and it is tried again with growing pauses (PROTOCOL.md, "Recovery"). */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import type { PastParts } from './past.ts';
import { historyFailed, noticed } from './updates.ts';

/** Pauses before a failed reading is tried again, ms; the last one repeats. */
const PAUSES = [500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
const LONGEST_PAUSE = 30_000;

export type Reading = (connection: Connection, sessionId: string) => Promise<void>;

export class PatientReader {
  readonly #parts: PastParts;
  readonly #reading: Reading;
  #failures = 0;
  #cancel: () => void = () => undefined;

  constructor(parts: PastParts, reading: Reading) {
    this.#parts = parts;
    this.#reading = reading;
  }

  /** Forgets earlier failures. */
  reset(): void {
    this.stop();
    this.#failures = 0;
  }

  /** Takes a coming try back. */
  stop(): void {
    this.#cancel();
    this.#cancel = () => undefined;
  }

  /** @throws WireFailure link_lost */
  async read(connection: Connection, sessionId: string): Promise<void> {
    this.stop();
    try {
      await this.#reading(connection, sessionId);
      this.#failures = 0;
    } catch (error) {
      if (!(error instanceof WireFailure) || error.code === 'link_lost') throw error;
      this.#parts.store.update(historyFailed);
      this.#parts.store.update(noticed(`${error.sentence} ${error.next}`, 'warn'));
      this.#tryLater(sessionId);
      return;
    }
    this.#parts.read();
  }

  #tryLater(sessionId: string): void {
    const { connection, enqueue, later, store } = this.#parts;
    const pause = PAUSES[this.#failures] ?? LONGEST_PAUSE;
    this.#failures += 1;
    const again = async (): Promise<void> => {
      const link = connection();
      if (link !== null && store.getState().session?.id === sessionId) await this.read(link, sessionId);
    };
    this.#cancel = later(() => enqueue(again), pause);
  }
}
