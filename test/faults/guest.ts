/** A client of a service: the program's own, which ends the connection at the first record that breaks the protocol. */
import { randomUUID } from 'node:crypto';
import { type Connection, openConnection } from '../../src/client/connection.ts';
import { type ControlEvent, type ControlledSession, claimSession } from '../../src/client/session-control.ts';
import { earlierEnvelopes } from '../../src/client/session-profile.ts';
import { type PlacedEnvelope, SESSION_PROTOCOL } from '../../src/wire/session-protocol.ts';
import type { TurnTerminal } from '../../src/wire/turn.ts';
import type { ServiceHome } from './service-home.ts';

export class Guest {
  readonly connection: Connection;
  readonly session: ControlledSession;
  /** Everything that was heard, in its order. */
  readonly events: ControlEvent[] = [];
  /** Why the connection ended; null while it stands. */
  ended: Error | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(connection: Connection, session: ControlledSession) {
    this.connection = connection;
    this.session = session;
    session.onEvent((event) => {
      this.events.push(event);
      this.#wake();
    });
    connection.onClose((reason) => {
      this.ended = reason;
      this.#wake();
    });
  }

  /** Connects with the session profile and takes a session: a new one unless it is named. */
  static async enter(home: ServiceHome, sessionId?: string): Promise<Guest> {
    const connection = await openConnection({ ...home.hello, capabilities: [SESSION_PROTOCOL] });
    const id = sessionId ?? (await connection.request('session.create', {})).session_id;
    return new Guest(connection, await claimSession(connection, id));
  }

  /** The same, where tools run without questions. */
  static async trusted(home: ServiceHome): Promise<Guest> {
    const guest = await Guest.enter(home);
    await guest.session.configure({ permission_mode: 'bypassPermissions' });
    return guest;
  }

  start(prompt: string): Promise<string> {
    return this.session.startTurn(prompt, randomUUID());
  }

  /** A turn from its start to its end. */
  async turn(prompt: string): Promise<TurnTerminal> {
    return this.terminalOf(await this.start(prompt));
  }

  terminalOf(turnId: string): Promise<TurnTerminal> {
    return this.until(
      (event) => (event.type === 'terminal' && event.turnId === turnId ? event.terminal : null),
      'the end of a turn',
    );
  }

  /** The first that is found in what was heard, or will be. */
  async until<T>(look: (event: ControlEvent) => T | null, what: string): Promise<T> {
    for (let at = 0; ; at += 1) {
      while (at >= this.events.length) {
        if (this.ended !== null)
          throw new Error(`the connection ended before ${what}: ${this.ended.message}`);
        await this.#change();
      }
      const event = this.events[at];
      const found = event === undefined ? null : look(event);
      if (found !== null) return found;
    }
  }

  /** Until everything was heard that the other side had written. */
  async untilEnded(): Promise<Error> {
    while (this.ended === null) await this.#change();
    return this.ended;
  }

  leave(): void {
    this.connection.close();
  }

  /** All envelopes of the session, oldest first, read page by page. */
  async history(): Promise<{ placed: PlacedEnvelope[]; gap: boolean }> {
    let placed: PlacedEnvelope[] = [];
    let gap = false;
    for await (const page of earlierEnvelopes(this.connection, this.session.sessionId)) {
      placed = [...page.envelopes, ...placed];
      gap ||= page.gap || page.resync_required;
    }
    return { placed, gap };
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
