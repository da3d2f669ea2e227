import type { Message } from '@earendil-works/pi-ai';

/** Keeps what an agent's requests hold within the window of its model. */
export interface Fitting {
  /** What the next request is to hold. */
  before(messages: readonly Message[]): Promise<Message[]>;
  /** The same when a request was too long. Null when nothing can be left out. */
  afterOverflow(messages: readonly Message[]): Promise<Message[] | null>;
}
