/**
 * Chooses for the open session (PROTOCOL.md, "Session profile"); where the service has no choices of a session, for
 * the folder, and says so.
 * Invariants: nothing is claimed that another window holds; a choice made before there is a session reaches the
 * service before the first message, or that message comes back with the reason.
 */
import { WireFailure } from '../client/failure.ts';
import type { ControlledSession } from '../client/session-control.ts';
import type { ConfigureRequest } from '../wire/session-protocol.ts';
import type { Notice } from './notice.ts';
import type { SavingSettings } from './saving-settings.ts';
import { asLevel, inForce, withEffective, withPending } from './session-choices.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { noticed } from './updates.ts';

export interface ChoosingParts {
  readonly store: Store<State>;
  readonly settings: SavingSettings;
  /** Control of the open session. @throws WireFailure */
  readonly control: () => Promise<ControlledSession>;
  /** Runs a job after those before it. */
  readonly enqueue: (job: () => Promise<void>) => void;
}

const HELD = 'Another window controls this session: what it works with is chosen there.';
const LOST = 'The link is lost: nothing was changed. Try again in a moment.';
const NEXT_TURN = 'It holds from the next turn on.';
const LEVEL_RESET = 'Thinking is “default” again: every model begins with it.';
const NO_MODES = 'This service has no permission modes: its settings decide what runs.';

export class Choosing {
  readonly #parts: ChoosingParts;
  /** The last notice of ours. */
  #said: string | null = null;

  constructor(parts: ChoosingParts) {
    this.#parts = parts;
  }

  choose(change: ConfigureRequest): void {
    const { enqueue, store } = this.#parts;
    const { session, telling } = store.getState();
    if (telling !== 'envelopes') enqueue(() => this.#telling(() => this.#forFolder(change)));
    else if (session === null) this.#pend(change);
    else if (session.control === 'other') this.#say(HELD, 'warn');
    else enqueue(() => this.#telling(() => this.#forSession(change)));
  }

  /**
   * Tells the service what was chosen before there was a session.
   * @throws WireFailure when it refuses: then the choice is forgotten, as the next message would meet the same
   */
  async settle(control: ControlledSession): Promise<void> {
    const { store } = this.#parts;
    const { pending } = store.getState().choices;
    if (pending === null) return;
    try {
      await this.#configure(control, pending);
    } catch (error) {
      if (error instanceof WireFailure && !error.uncertain && error.code !== 'link_lost')
        store.update((state) => ({ ...state, choices: { ...state.choices, pending: null } }));
      throw error;
    }
  }

  async #forSession(change: ConfigureRequest): Promise<void> {
    const { control, store } = this.#parts;
    const before = inForce(store.getState().choices, store.getState().config, () => null).thinkingLevel;
    await this.#configure(await control(), change);
    const { choices, live } = store.getState();
    const wanted = change.thinking_level;
    const holds = choices.effective?.thinking_level;
    if (wanted !== undefined && holds !== undefined && holds !== wanted)
      this.#say(`The model does not offer “${wanted}”: it thinks at “${holds}”.`, 'warn');
    else this.#tellNow(live, resets(change, before) ? [LEVEL_RESET] : []);
  }

  /** Only what nobody would expect. */
  #tellNow(live: State['live'], words: readonly string[]): void {
    const sentences = live === null ? words : [...words, NEXT_TURN];
    if (sentences.length === 0) this.#unsay();
    else this.#say(sentences.join(' '), 'info');
  }

  async #configure(control: ControlledSession, change: ConfigureRequest): Promise<void> {
    const effective = await control.configure(change);
    this.#parts.store.update((state) => ({
      ...state,
      choices: withEffective(state.choices, change, effective),
    }));
  }

  /** Model and thinking level as settings; nothing else can be put there. */
  async #forFolder({ permission_mode, sandbox, selection, thinking_level }: ConfigureRequest): Promise<void> {
    const { settings, store } = this.#parts;
    if (permission_mode !== undefined || sandbox !== undefined) {
      this.#say(NO_MODES, 'warn');
      return;
    }
    const level = thinking_level === undefined ? null : asLevel(thinking_level);
    const scopes = store.getState().config?.writable_scopes ?? [];
    const { text, tone } = await settings.save(scopes.includes('project') ? 'project' : 'global', {
      ...(selection === undefined ? {} : { selection }),
      ...(level === null ? {} : { thinking_level: level }),
    });
    this.#say(text, tone);
  }

  /** Why nothing was changed, said where it was asked for. */
  async #telling(job: () => Promise<void>): Promise<void> {
    try {
      await job();
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      this.#say(wordsOf(error), 'warn');
    }
  }

  #pend(change: ConfigureRequest): void {
    const { choices, config } = this.#parts.store.getState();
    this.#tellNow(
      null,
      resets(change, inForce(choices, config, () => null).thinkingLevel) ? [LEVEL_RESET] : [],
    );
    this.#parts.store.update((state) => ({ ...state, choices: withPending(state.choices, change) }));
  }

  #say(text: string, tone: Notice['tone']): void {
    this.#said = text;
    this.#parts.store.update(noticed(text, tone));
  }

  /** What was said of an earlier choice does not hold any more; what others said does. */
  #unsay(): void {
    this.#parts.store.update((state) =>
      state.notice?.text === this.#said ? { ...state, notice: null } : state,
    );
  }
}

/** Another model begins with its own level. */
function resets({ selection, thinking_level }: ConfigureRequest, before: string): boolean {
  return selection !== undefined && thinking_level === undefined && before !== 'default';
}

function wordsOf({ code, next, sentence, uncertain }: WireFailure): string {
  if (uncertain) return 'The link was lost: whether it was changed is not known yet.';
  if (code === 'link_lost') return LOST;
  if (code === 'session_controlled' || code === 'session_busy') return HELD;
  return `Not changed. ${sentence} ${next}`;
}
