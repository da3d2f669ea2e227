/** What was typed and is not yet with the service, kept for each session: nothing typed is lost. */
import { type Keeper, keptDraft, NOTHING_KEPT } from './keeper.ts';
import type { AttachedFile, Returned, State } from './state.ts';
import type { Store } from './store.ts';
import { draftRestored, noticed, outboxChanged } from './updates.ts';

/** The key of what was typed before there is a session. */
const NEW_SESSION = 'new';

export class Drafts {
  readonly #store: Store<State>;
  readonly #keeper: Keeper;
  #text: string;
  #files: readonly AttachedFile[];

  /** @param first what the program opens: the draft without a session belongs to a new one only */
  constructor(store: Store<State>, keeper: Keeper, first: 'new' | 'another') {
    this.#store = store;
    this.#keeper = keeper;
    const kept = first === 'new' ? keeper.load(NEW_SESSION) : NOTHING_KEPT;
    this.#text = keptDraft(kept);
    this.#files = kept.attachments ?? [];
  }

  get text(): string {
    return this.#text;
  }

  get files(): readonly AttachedFile[] {
    return this.#files;
  }

  /** Keeps this draft durably. */
  keep(text: string, files: readonly AttachedFile[] = []): void {
    this.#text = text;
    this.#files = files;
    this.save();
  }

  /** Keeps draft and outbox durably. */
  save(): void {
    const { outbox } = this.#store.getState();
    const attachments = this.#files.length === 0 ? {} : { attachments: this.#files };
    const failure = this.#keeper.save(this.#key(), { draft: this.#text, outbox, ...attachments });
    if (failure !== null) this.#store.update(noticed(failure, 'warn'));
  }

  /** What was left of the session that is open now: its draft, and messages whose fate is not known. */
  restore(place: Returned['place']): void {
    const kept = this.#keeper.load(this.#key());
    this.#text = keptDraft(kept);
    this.#files = kept.attachments ?? [];
    const sent = kept.outbox.filter((item) => item.instanceId !== null);
    this.#store.update(outboxChanged(sent.map((item) => ({ ...item, state: 'uncertain' }))));
    this.#store.update(draftRestored(this.#text, place, this.#files));
  }

  /** What was kept without a session belongs to the one that is open now. */
  moveToSession(): void {
    this.#keeper.save(NEW_SESSION, { draft: '', outbox: [] });
    this.save();
  }

  #key(): string {
    return this.#store.getState().session?.id ?? NEW_SESSION;
  }
}
