/** The question who should answer, and its answer (PROTOCOL.md, "Configuration"). */
import type { Connection } from '../client/connection.ts';
import { choose, fetchModels, lacksModels, NOBODY, readChoices } from './service-facts.ts';
import type { Choice, State } from './state.ts';
import type { Store } from './store.ts';
import { noticed } from './updates.ts';

export class WhoAnswers {
  readonly #store: Store<State>;

  constructor(store: Store<State>) {
    this.#store = store;
  }

  /** Asks again. @throws WireFailure */
  async ask(connection: Connection): Promise<void> {
    const setup = await readChoices(connection);
    if (setup.length > 0) this.#store.update((state) => ({ ...state, setup }));
    else this.#store.update(noticed(NOBODY.text, NOBODY.tone));
  }

  /** Leaves it as it was, if somebody can answer. @throws WireFailure */
  async keep(connection: Connection): Promise<void> {
    const { provider_auth_ready: ready } = await connection.request('status', {});
    if (ready) this.#store.update((state) => ({ ...state, setup: null }));
  }

  /** Saves who answers from now on; where no model of it is known yet, they are asked for instead. @throws WireFailure */
  async choose(connection: Connection, choice: Choice): Promise<void> {
    if (lacksModels(choice)) {
      await this.#askForModels(connection, choice);
      return;
    }
    const config = await choose(connection, choice);
    this.#store.update((state) => ({ ...state, config, setup: null, notice: null }));
  }

  async #askForModels(connection: Connection, choice: Choice): Promise<void> {
    this.#store.update(noticed(`Asking ${choice.label} for its models…`, 'info'));
    await fetchModels(connection, choice);
    const setup = await readChoices(connection);
    const found = setup.find(({ providerId }) => providerId === choice.providerId);
    this.#store.update((state) => ({ ...state, setup, notice: null }));
    if (found === undefined || lacksModels(found))
      this.#store.update(noticed(`${choice.label} gave no list. Is it reachable? Then try again.`, 'warn'));
  }
}
