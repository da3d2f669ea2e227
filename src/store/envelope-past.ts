/**
 * The history as the session profile tells it: envelopes, page by page and live (PROTOCOL.md, "Session profile").
 * Invariants: every envelope is shown once and in the order of the file, whether a page or an event brought it;
 * events that come while pages are read wait for them.
 */
import type { Connection } from '../client/connection.ts';
import { earlierEnvelopes, laterEnvelopes } from '../client/session-profile.ts';
import { type AnyEnvelope, readEnvelope } from '../transcript/envelope.ts';
import type { PlacedEnvelope } from '../wire/session-protocol.ts';
import { nameSession, type Past, type PastParts } from './past.ts';
import { PatientReader } from './patient-reader.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { envelopesArrived, envelopesRead } from './updates.ts';

/** Pages of an opened session that are read at once: about 1.8 MB of the newest envelopes. */
const MAX_PAGES = 64;

export class EnvelopePast implements Past {
  readonly #store: Store<State>;
  readonly #reader: PatientReader;
  /** Of the last envelope that is shown; null when nothing was read yet. */
  #last: string | null = null;
  readonly #shown = new Set<string>();
  /** Whether all that lies before the next envelope is shown. */
  #isOpen = false;
  /** What waits for the pages before it, in order; null while none are read. */
  #waiting: (() => void)[] | null = null;

  constructor(parts: PastParts) {
    this.#store = parts.store;
    this.#reader = new PatientReader(parts, (connection, sessionId) => this.#read(connection, sessionId));
  }

  reset(): void {
    this.#reader.reset();
    this.#last = null;
    this.#shown.clear();
    this.#waiting = null;
    this.#isOpen = false;
  }

  /** The session was made just now: nothing lies before the next envelope. */
  begin(): void {
    this.reset();
    this.#isOpen = true;
  }

  stop(): void {
    this.#reader.stop();
  }

  async reconcile(connection: Connection, sessionId: string): Promise<void> {
    this.#waiting ??= [];
    try {
      await this.#reader.read(connection, sessionId);
    } finally {
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      for (const step of waiting) step();
    }
  }

  /** An envelope that an event brought. One that comes before its past will be read with it. */
  take(placed: PlacedEnvelope): void {
    this.afterPages(() => {
      if (!this.#isOpen) return;
      this.#show([placed]);
      nameSession(this.#store);
    });
  }

  /** Runs a step behind the envelopes that came before it. */
  afterPages(step: () => void): void {
    if (this.#waiting === null) step();
    else this.#waiting.push(step);
  }

  async #read(connection: Connection, sessionId: string): Promise<void> {
    if (this.#last === null || !(await this.#readLater(connection, sessionId, this.#last)))
      await this.#readNewest(connection, sessionId);
    nameSession(this.#store);
  }

  /** False when the place is void: everything has to be read again. */
  async #readLater(connection: Connection, sessionId: string, after: string): Promise<boolean> {
    for await (const page of laterEnvelopes(connection, sessionId, after)) {
      if (page.resync_required) return false;
      this.#show(page.envelopes);
    }
    return true;
  }

  async #readNewest(connection: Connection, sessionId: string): Promise<void> {
    const pages: (readonly PlacedEnvelope[])[] = [];
    let gap = false;
    let last: string | null = null;
    for await (const page of earlierEnvelopes(connection, sessionId)) {
      pages.unshift(page.envelopes);
      last ??= page.last_cursor;
      gap ||= page.gap;
      if (pages.length >= MAX_PAGES && page.has_earlier) {
        gap = true;
        break;
      }
    }
    const placed = pages.flat();
    this.#shown.clear();
    const envelopes = this.#fresh(placed);
    this.#last = last;
    this.#isOpen = true;
    this.#store.update(envelopesRead(envelopes, gap ? 'gap' : 'complete'));
  }

  #show(placed: readonly PlacedEnvelope[]): void {
    const envelopes = this.#fresh(placed);
    this.#last = placed.at(-1)?.cursor ?? this.#last;
    if (envelopes.length > 0) this.#store.update(envelopesArrived(envelopes));
  }

  /** Those that are not shown yet. */
  #fresh(placed: readonly PlacedEnvelope[]): readonly AnyEnvelope[] {
    const envelopes: AnyEnvelope[] = [];
    for (const { envelope } of placed) {
      const read = readEnvelope(envelope);
      if (read === null || this.#shown.has(read.id)) continue;
      this.#shown.add(read.id);
      envelopes.push(read);
    }
    return envelopes;
  }
}
