/** What was typed and is not yet with the service, kept for each session: nothing typed is lost. */
import { type Keeper, keptDraft } from './keeper.ts';
import type { Returned, State } from './state.ts';
import type { Store } from './store.ts';
import { draftRestored, noticed, outboxChanged } from './updates.ts';

/** The key of what was typed before there is a session. */
const NEW_SESSION = 'new';

export class Drafts {
  readonly #store: Store<State>;
  readonly #keeper: Keeper;
  #text: string;

  /** @param first what the program opens: the draft without a session belongs to a new one only */
  constructor(store: Store<State>, keeper: Keeper, first: 'new' | 'another') {
    this.#store = store;
    this.#keeper = keeper;
    this.#text = first === 'new' ? keptDraft(keeper.load(NEW_SESSION)) : '';
  }

  get text(): string {
    return this.#text;
  }

  /** Keeps this draft durably. */
  keep(text: string): void {
    this.#text = text;
    this.save();
  }

  /** Keeps draft and outbox durably. */
  save(): void {
    const { outbox } = this.#store.getState();
    const failure = this.#keeper.save(this.#key(), { draft: this.#text, outbox });
    if (failure !== null) this.#store.update(noticed(failure, 'warn'));
  }

  /** What was left of the session that is open now: its draft, and messages whose fate is not known. */
  restore(place: Returned['place']): void {
    const kept = this.#keeper.load(this.#key());
    this.#text = keptDraft(kept);
    const sent = kept.outbox.filter((item) => item.instanceId !== null);
    this.#store.update(outboxChanged(sent.map((item) => ({ ...item, state: 'uncertain' }))));
    this.#store.update(draftRestored(this.#text, place));
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
