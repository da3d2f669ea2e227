/**
 * The history as the session profile tells it: envelopes, page by page and live (PROTOCOL.md, "Session profile").
 * Invariants: every envelope is shown once and in the order of the file, whether a page or an event brought it;
 * events that come while the newest pages are read wait for them; of a long session a part is held that weighs
 * at most about `MAX_WEIGHT`, whatever is read: the newest part when it is opened, and the part around the
 * reader from then on (`PastPages`).
 */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import { earlierEnvelopes, laterEnvelopes } from '../client/session-profile.ts';
import { type Block, fold } from '../transcript/blocks.ts';
import { type AnyEnvelope, readEnvelope } from '../transcript/envelope.ts';
import { firstCut, lastCut } from '../transcript/turn-cut.ts';
import type { EnvelopesResult, PlacedEnvelope } from '../wire/session-protocol.ts';
import { nameSession, type Past, type PastPages, type PastParts } from './past.ts';
import { PatientReader } from './patient-reader.ts';
import type { Edges, State } from './state.ts';
import type { Store } from './store.ts';
import { type Stretch, Stretches, weightOf } from './stretches.ts';
import {
  edgesChanged,
  envelopesArrived,
  envelopesRead,
  gapFound,
  historyHeld,
  isOfTurn,
  noticed,
} from './updates.ts';

/** Envelopes of an opened session that are read before it is shown: several screens of any talk. */
const FIRST = 256;
/** Envelopes of one step towards earlier or later ones, at least. */
const STEP = 128;
/** A turn that is longer is told in parts: its first part does not know of the second. */
const LONGEST_TURN = 2_048;
/** What is held at most, in characters: about 4,000 short messages, or 4 MB of long ones. */
const MAX_WEIGHT = 4 * 1_024 * 1_024;
/** What is held at least for a reader who follows the end. */
const FOLLOWED_WEIGHT = 1_024 * 1_024;
/** Blocks around the reader that are not let go. */
const MARGIN = 200;
/** Pages that are kept on the way to the beginning. */
const LAST_PAGES = 16;

interface Told {
  readonly cursor: string;
  readonly envelope: AnyEnvelope;
}

/** Pages of the session: newest first up to a cursor, oldest first from one on. */
interface Pages {
  readonly before: (cursor: string | null) => AsyncIterable<EnvelopesResult>;
  readonly behind: (cursor: string) => AsyncIterable<EnvelopesResult>;
}

export class EnvelopePast implements Past, PastPages {
  readonly #parts: PastParts;
  readonly #store: Store<State>;
  readonly #patient: PatientReader;
  /** Of the last envelope that was told; null when nothing was read yet. */
  #last: string | null = null;
  readonly #shown = new Set<string>();
  readonly #stretches = new Stretches();
  /** Where the next earlier page ends, and what was read before the first stretch and is no whole turn yet. */
  #before: string | null = null;
  #raggedHead: readonly Told[] = [];
  /** Where the next later page begins, and what was read behind the last stretch and is no whole turn yet. */
  #behind: string | null = null;
  #raggedTail: readonly Told[] = [];
  /** Whether all that lies before the next envelope is shown. */
  #isOpen = false;
  /** Block at which the reader is; null while they follow the end. */
  #reader: string | null = null;
  #isTurning = false;
  /** What waits for the pages before it, in order; null while none are read. */
  #waiting: (() => void)[] | null = null;
  /** Grows with whatever makes pages on their way worthless. */
  #walk = 0;

  constructor(parts: PastParts) {
    this.#parts = parts;
    this.#store = parts.store;
    this.#patient = new PatientReader(parts, (connection, sessionId) => this.#read(connection, sessionId));
  }

  reset(): void {
    this.#patient.reset();
    this.#last = null;
    this.#waiting = null;
    this.#isOpen = false;
    this.#reader = null;
    this.#hold([], { before: null, behind: null });
  }

  /** The session was made just now: nothing lies before the next envelope. */
  begin(): void {
    this.reset();
    this.#isOpen = true;
  }

  stop(): void {
    this.#patient.stop();
  }

  async reconcile(connection: Connection, sessionId: string): Promise<void> {
    this.#waiting ??= [];
    try {
      await this.#patient.read(connection, sessionId);
    } finally {
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      for (const step of waiting) step();
    }
    this.#settle();
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

  follow(reader: string | null): void {
    const hasReturned = reader === null && this.#reader !== null;
    this.#reader = reader;
    if (this.#edges.below === 'more' && reader === null) this.#newest();
    else if (hasReturned) {
      this.interrupt();
      this.#trimAbove();
    }
  }

  async earlier(): Promise<void> {
    const { above } = this.#edges;
    if (above !== 'more' && above !== 'failed') return;
    await this.#turn({ above: 'reading' }, async (pages, isCurrent) => {
      let told: readonly Told[] = this.#raggedHead;
      let [before, gap, isWhole] = [this.#before, false, true];
      for await (const page of pages.before(before)) {
        if (!isCurrent()) return;
        told = [...toldIn(page), ...told];
        gap ||= page.gap || page.resync_required;
        isWhole = !page.has_earlier;
        before = page.first_cursor ?? before;
        if (isEnough(told, STEP)) break;
      }
      if (!isCurrent()) return;
      this.#before = before;
      this.#showEarlier(told, isWhole);
      if (gap) this.#store.update(gapFound);
    });
  }

  async later(): Promise<void> {
    if (this.#edges.below !== 'more') return;
    await this.#turn({ below: 'reading' }, async (pages, isCurrent) => {
      let told: readonly Told[] = this.#raggedTail;
      let [behind, hasLater] = [this.#behind, true];
      for await (const page of pages.behind(behind ?? '')) {
        if (!isCurrent()) return;
        if (page.resync_required) {
          this.#newest();
          return;
        }
        told = [...told, ...toldIn(page)];
        hasLater = page.has_later;
        behind = page.last_cursor ?? behind;
        if (isEnough(told, STEP)) break;
      }
      if (!isCurrent()) return;
      this.#behind = behind;
      this.#showLater(told, hasLater ? 'more' : 'end');
    });
  }

  async beginning(): Promise<boolean> {
    const { above, passed } = this.#edges;
    if (passed !== null) return false;
    if (above === 'none' || above === 'beginning') return true;
    let hasArrived = false;
    this.#abandon();
    await this.#turn({ above: 'reading', passed: 0 }, async (pages, isCurrent) => {
      const kept: EnvelopesResult[] = [];
      let count = 0;
      for await (const page of pages.before(this.#before)) {
        if (!isCurrent()) return;
        kept.unshift(page);
        count += 1;
        if (kept.length > LAST_PAGES) kept.pop();
        const more = page.envelopes.filter(isMessage).length;
        this.#store.update((state) => edgesChanged({ passed: (state.edges.passed ?? 0) + more })(state));
      }
      if (!isCurrent()) return;
      const told = kept.flatMap(toldIn);
      if (count > LAST_PAGES) this.#startAnew(told);
      else this.#showEarlier([...told, ...this.#raggedHead], true);
      this.#store.update(edgesChanged({ above: 'beginning', passed: null }));
      hasArrived = true;
    });
    return hasArrived;
  }

  interrupt(): void {
    if (this.#edges.passed !== null) this.#abandon();
  }

  get #edges(): Edges {
    return this.#store.getState().edges;
  }

  /** Reads pages for the reader beside everything else; what they were read for may be over when they come. */
  async #turn(
    during: Partial<Edges>,
    read: (pages: Pages, isCurrent: () => boolean) => Promise<void>,
  ): Promise<void> {
    const connection = this.#parts.connection();
    const { session } = this.#store.getState();
    if (connection === null || session === null || !this.#isOpen || this.#isTurning) return;
    const walk = this.#walk;
    const isCurrent = (): boolean => walk === this.#walk;
    const pages: Pages = {
      before: (cursor) => earlierEnvelopes(connection, session.id, cursor),
      behind: (cursor) => laterEnvelopes(connection, session.id, cursor),
    };
    this.#isTurning = true;
    this.#store.update(edgesChanged(during));
    try {
      await read(pages, isCurrent);
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      if (isCurrent()) this.#fail(error);
    } finally {
      if (isCurrent()) this.#isTurning = false;
    }
  }

  #fail(error: WireFailure): void {
    const wasAbove = this.#edges.above === 'reading';
    this.#abandon();
    if (error.code === 'link_lost') return;
    if (wasAbove) this.#store.update(edgesChanged({ above: 'failed' }));
    this.#store.update(noticed(`${error.sentence} ${error.next}`, 'warn'));
  }

  /** Pages on their way are of no use any more. */
  #abandon(): void {
    this.#walk += 1;
    this.#isTurning = false;
    const { above, below } = this.#edges;
    this.#store.update(
      edgesChanged({
        above: above === 'reading' ? 'more' : above,
        below: below === 'reading' ? 'more' : below,
        passed: null,
      }),
    );
  }

  #showEarlier(told: readonly Told[], isWhole: boolean): void {
    const cut = isWhole ? 0 : (firstCut(envelopesOf(told)) ?? 0);
    this.#raggedHead = told.slice(0, cut);
    const kept = told.slice(cut);
    const blocks = fold([], envelopesOf(kept));
    this.#stretches.prepend(this.#remember(kept), blocks.length);
    const { history } = this.#store.getState();
    this.#store.update(historyHeld([...blocks, ...history], { above: isWhole ? 'beginning' : 'more' }));
    this.#trimBelow();
  }

  /** What belongs to the running turn stands in it already. */
  #showLater(told: readonly Told[], below: 'end' | 'more'): void {
    const { history, live } = this.#store.getState();
    const running = told.findIndex(({ envelope }) => isOfTurn(live, envelope));
    const settled = running < 0 ? told : told.slice(0, running);
    const reached = running < 0 ? below : 'end';
    const cut = reached === 'end' ? settled.length : (lastCut(envelopesOf(settled)) ?? settled.length);
    this.#raggedTail = settled.slice(cut);
    const kept = settled.slice(0, cut);
    const blocks = fold([], envelopesOf(kept));
    this.#stretches.close(history.length, this.#remember(kept));
    this.#store.update(historyHeld([...history, ...blocks], { below: reached }));
    this.#trimAbove();
  }

  /** The part around the beginning takes the place of all that was held. */
  #startAnew(told: readonly Told[]): void {
    const cut = lastCut(envelopesOf(told)) ?? told.length;
    const kept = told.slice(0, cut);
    this.#hold(kept, { before: null, behind: told.at(-1)?.cursor ?? null });
    this.#raggedTail = told.slice(cut);
    this.#store.update(historyHeld(fold([], envelopesOf(kept)), { below: 'more' }));
  }

  /** Only these are held. */
  #hold(told: readonly Told[], { before, behind }: { before: string | null; behind: string | null }): void {
    this.#walk += 1;
    this.#isTurning = false;
    this.#shown.clear();
    this.#stretches.reset(this.#remember(told));
    this.#before = before;
    this.#behind = behind;
    this.#raggedHead = [];
    this.#raggedTail = [];
  }

  #remember(told: readonly Told[]): Stretch {
    const ids = told.map(({ envelope }) => envelope.id);
    for (const id of ids) this.#shown.add(id);
    return { first: told[0]?.cursor ?? null, last: told.at(-1)?.cursor ?? null, ids };
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
    let told: readonly Told[] = [];
    let gap = false;
    let isWhole = true;
    let last: string | null = null;
    let before: string | null = null;
    for await (const page of earlierEnvelopes(connection, sessionId)) {
      told = [...toldIn(page), ...told];
      last ??= page.last_cursor;
      gap ||= page.gap;
      before = page.first_cursor;
      isWhole = !page.has_earlier;
      if (isEnough(told, FIRST)) break;
    }
    const cut = isWhole ? 0 : (firstCut(envelopesOf(told)) ?? 0);
    const kept = told.slice(cut);
    this.#hold(kept, { before, behind: null });
    this.#raggedHead = told.slice(0, cut);
    this.#last = last;
    this.#isOpen = true;
    this.#store.update(envelopesRead(envelopesOf(kept), gap ? 'gap' : 'complete', isWhole ? 'none' : 'more'));
  }

  /** The newest part again, after newer messages were let go. */
  #newest(): void {
    this.#abandon();
    this.#store.update(edgesChanged({ below: 'reading' }));
    this.#parts.enqueue(async () => {
      const connection = this.#parts.connection();
      const { session } = this.#store.getState();
      if (session === null || this.#edges.below === 'end') return;
      this.#last = null;
      if (connection === null) this.#abandon();
      else await this.reconcile(connection, session.id);
    });
  }

  #show(placed: readonly PlacedEnvelope[]): void {
    const { edges, live } = this.#store.getState();
    const fresh = toldOf(placed).filter(({ envelope }) => !this.#shown.has(envelope.id));
    const told = edges.below === 'end' ? fresh : fresh.filter(({ envelope }) => isOfTurn(live, envelope));
    for (const { cursor, envelope } of told) {
      this.#shown.add(envelope.id);
      if (edges.below === 'end') this.#stretches.grow(cursor, envelope.id);
    }
    this.#last = placed.at(-1)?.cursor ?? this.#last;
    if (told.length > 0) this.#store.update(envelopesArrived(envelopesOf(told)));
  }

  /** Behind the end of a turn a new stretch may begin, and old ones may go. */
  #settle(): void {
    const { edges, history, live } = this.#store.getState();
    if (live !== null || edges.below !== 'end' || history.at(-1)?.kind !== 'turn-end') return;
    if (this.#stretches.growing < FIRST) return;
    this.#stretches.close(history.length);
    this.#trimAbove();
    this.#trimBelow();
  }

  /** Lets the oldest stretches go as long as the rest is enough, and the reader is far from them. */
  #trimAbove(): void {
    let { history } = this.#store.getState();
    const enough = this.#reader === null ? FOLLOWED_WEIGHT : MAX_WEIGHT;
    let isTrimmed = false;
    while (this.#stretches.count > 1) {
      const going = this.#stretches.firstBlocks(history.length);
      const rest = history.slice(going);
      if (weightOf(rest) < enough || this.#readerIn(history) < going + MARGIN) break;
      this.#drop(this.#stretches.dropFirst());
      history = rest;
      isTrimmed = true;
    }
    if (!isTrimmed) return;
    this.#abandon();
    this.#before = this.#stretches.first;
    this.#raggedHead = [];
    this.#store.update(historyHeld(history, { above: 'more' }));
  }

  /** Lets the newest stretches go as long as the rest is enough, and the reader is far from them. */
  #trimBelow(): void {
    let { history } = this.#store.getState();
    let isTrimmed = false;
    while (this.#stretches.count > 1) {
      const rest = history.slice(0, history.length - this.#stretches.lastBlocks(history.length));
      if (weightOf(rest) < MAX_WEIGHT || this.#readerIn(history) > rest.length - MARGIN) break;
      this.#drop(this.#stretches.dropLast());
      history = rest;
      isTrimmed = true;
    }
    if (!isTrimmed) return;
    this.#behind = this.#stretches.last;
    this.#raggedTail = [];
    this.#store.update(historyHeld(history, { below: 'more' }));
  }

  /** Where in the history the reader is; at its end when they follow it. */
  #readerIn(history: readonly Block[]): number {
    const at = this.#reader === null ? -1 : history.findIndex(({ id }) => id === this.#reader);
    return at < 0 ? history.length : at;
  }

  #drop({ ids }: Stretch): void {
    for (const id of ids) this.#shown.delete(id);
  }
}

function toldOf(placed: readonly PlacedEnvelope[]): Told[] {
  return placed.flatMap(({ cursor, envelope }) => {
    const read = readEnvelope(envelope);
    return read === null ? [] : [{ cursor, envelope: read }];
  });
}

function toldIn({ envelopes }: EnvelopesResult): Told[] {
  return toldOf(envelopes);
}

function envelopesOf(told: readonly Told[]): AnyEnvelope[] {
  return told.map(({ envelope }) => envelope);
}

/** As many as were wanted, with a place to cut them; or too many to wait for one. */
function isEnough(told: readonly Told[], wanted: number): boolean {
  if (told.length < wanted) return false;
  return told.length >= LONGEST_TURN || firstCut(envelopesOf(told)) !== null;
}

function isMessage({ envelope: { ev } }: PlacedEnvelope): boolean {
  return typeof ev === 'object' && ev !== null && 't' in ev && ev.t === 'text';
}
