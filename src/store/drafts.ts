/**
 * What was typed and is not yet with the service, kept for each session: nothing typed is lost.
 * Invariant: text that comes back belongs to the draft at once, whether or not somebody shows it yet.
 */
import { type Keeper, keptDraft, NOTHING_KEPT } from './keeper.ts';
import type { AttachedFile, Returned, State } from './state.ts';
import type { Store } from './store.ts';
import { comesBack, noticed, outboxChanged } from './updates.ts';

/** The key of what was typed before there is a session. */
const NEW_SESSION = 'new';
/** The key of what was typed while the session that was asked for is not open yet. */
const OPENING = 'opening';

/** What stands in the composer. */
export interface Written {
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

const NOTHING_WRITTEN: Written = { text: '', files: [] };

export class Drafts {
  readonly #store: Store<State>;
  readonly #keeper: Keeper;
  /** What is written, without what came back and was not taken. */
  #written = NOTHING_WRITTEN;
  #composer: (() => Written) | null = null;
  #isOpening: boolean;

  /** @param first what the program opens: the draft without a session belongs to a new one only */
  constructor(store: Store<State>, keeper: Keeper, first: 'new' | 'another') {
    this.#store = store;
    this.#keeper = keeper;
    this.#isOpening = first === 'another';
    if (first === 'new') this.#comeBack(NEW_SESSION, 'before');
    const typedInVain = this.#comeBack(OPENING, 'before');
    if (first === 'new' && typedInVain) this.#move(OPENING);
  }

  /** From now on it is asked what is written, before another session is opened. */
  readFrom(composer: () => Written): void {
    this.#composer = composer;
  }

  /** What came back since it was last taken, in its order: now it is written. */
  take(): readonly Returned[] {
    const { returned } = this.#store.getState();
    if (returned.length === 0) return returned;
    this.#written = this.#whole();
    this.#store.update((state) => ({ ...state, returned: [] }));
    return returned;
  }

  /** Keeps this draft durably. */
  keep(text: string, files: readonly AttachedFile[] = []): void {
    this.#written = { text, files };
    this.save();
  }

  /** Keeps draft and outbox durably. */
  save(): void {
    const { outbox } = this.#store.getState();
    const { files, text } = this.#whole();
    const attachments = files.length === 0 ? {} : { attachments: files };
    const failure = this.#keeper.save(this.#key(), { draft: text, outbox, ...attachments });
    if (failure !== null) this.#store.update(noticed(failure, 'warn'));
  }

  /** Keeps what is written now: another session is opened next. */
  leave(): void {
    if (this.#composer !== null) this.#written = this.#composer();
    this.save();
  }

  /** What was left of the session that is open now: its draft, and messages whose fate is not known. */
  restore(): void {
    this.#written = NOTHING_WRITTEN;
    this.#store.update(outboxChanged(this.#uncertain()));
    this.#comeBack(this.#key(), 'instead');
  }

  /** The same for the session that was asked for: what was written and sent meanwhile belongs to it. */
  join(): void {
    this.#isOpening = false;
    if (this.#composer !== null) this.#written = this.#composer();
    const { outbox } = this.#store.getState();
    this.#store.update(outboxChanged([...this.#uncertain(), ...outbox]));
    this.#comeBack(this.#key(), 'before');
    this.#move(OPENING);
  }

  /** What was kept without a session belongs to the one that is open now. */
  moveToSession(): void {
    this.#move(NEW_SESSION);
  }

  /** Keeps under the key of now what was kept under another. */
  #move(from: string): void {
    this.save();
    this.#keeper.save(from, NOTHING_KEPT);
  }

  #uncertain(): State['outbox'] {
    const { outbox } = this.#keeper.load(this.#key());
    return outbox.flatMap((item) => (item.instanceId === null ? [] : [{ ...item, state: 'uncertain' }]));
  }

  /** Returns whether there was anything. */
  #comeBack(key: string, place: Returned['place']): boolean {
    const kept = this.#keeper.load(key);
    const text = keptDraft(kept);
    const attachments = kept.attachments ?? [];
    const isSomething = text !== '' || attachments.length > 0;
    if (isSomething || place === 'instead') this.#store.update(comesBack({ text, place, attachments }));
    return isSomething;
  }

  #whole(): Written {
    return this.#store.getState().returned.reduce(withReturned, this.#written);
  }

  #key(): string {
    if (this.#isOpening) return OPENING;
    return this.#store.getState().session?.id ?? NEW_SESSION;
  }
}

function withReturned(written: Written, { attachments, place, text }: Returned): Written {
  if (place === 'instead') return { text, files: attachments };
  return {
    text: [text, written.text].filter((part) => part !== '').join('\n'),
    files: [...attachments, ...written.files],
  };
}
