/**
 * Turns key events into commands, and what the store says into the view.
 * Invariant: keys are named in `keys/commands.ts` only; what a command does is said in `commands/`.
 */
import type { State } from '../store/state.ts';
import { Store } from '../store/store.ts';
import { HANDLERS } from './commands/handlers.ts';
import { ladderTurn } from './commands/way-out.ts';
import { historyOf } from './composer/history.ts';
import { bufferOf, insert, replaceAll } from './composer/text-buffer.ts';
import { contextsOf } from './contexts.ts';
import type { Desk } from './desk.ts';
import type { Size } from './frame.ts';
import { contextOf, resolve } from './keys/bindings.ts';
import type { ReadMoment } from './keys/input-source.ts';
import { disarm, ladderNotice, observeTurn } from './keys/interrupt-ladder.ts';
import { type KeyEvent, typedText } from './keys/key-event.ts';
import { initialView, type View } from './view.ts';

export interface ControllerParts
  extends Pick<Desk, 'store' | 'conversation' | 'talk' | 'leave' | 'suspend' | 'redraw'> {
  readonly size: Size;
}

const KEEP_DRAFT_AFTER_MS = 300;
const TICK_MS = 1000;

export class Controller {
  readonly view: Store<View>;
  readonly #desk: Desk;
  #draftTimer: NodeJS.Timeout | null = null;
  #tickTimer: NodeJS.Timeout | null = null;
  #seenReturned = 0;
  #seenSession: string | null = null;

  constructor({ size, ...parts }: ControllerParts) {
    this.view = new Store(initialView(size, Date.now()), queueMicrotask);
    this.#desk = {
      ...parts,
      view: this.view,
      edit: (change) => this.#edit(change),
      draftKept: () => this.#draftKept(),
    };
    this.view.update((view) => ({ ...view, draft: bufferOf(parts.conversation.draft) }));
    parts.store.subscribe(() => this.#onState());
  }

  resize(size: Size): void {
    this.view.update((view) => ({ ...view, size }));
  }

  /** Draws again although nothing of ours has changed: code can be coloured now. */
  refresh(): void {
    this.view.update((view) => ({ ...view }));
  }

  /** Takes one event of the terminal. */
  handle(event: KeyEvent, moment: ReadMoment): void {
    const contexts = contextsOf(this.#state(), this.view.getState());
    switch (event.kind) {
      case 'paste':
        if (contexts.includes('composer')) this.#insert(event.text);
        return;
      case 'key': {
        const command = resolve(event, contexts);
        const text = typedText(event);
        if (command !== null) {
          HANDLERS[contextOf(command)](command, this.#desk, moment);
          this.#tick();
        } else if (text !== null && contexts.includes('composer')) this.#insert(text);
        return;
      }
      case 'focus':
      case 'reply':
        return;
    }
  }

  /** Keeps the draft now and stops all timers. */
  dispose(): void {
    this.#draftKept();
    if (this.#tickTimer !== null) clearTimeout(this.#tickTimer);
    this.#keepDraft();
  }

  #state(): State {
    return this.#desk.store.getState();
  }

  #insert(text: string): void {
    this.#edit((view) => ({ ...view, draft: insert(view.draft, text) }));
  }

  #edit(change: (view: View) => View): void {
    this.view.update((view) => ({ ...change(view), ladder: disarm(view.ladder) }));
    this.#draftKept();
    this.#draftTimer = setTimeout(() => this.#keepDraft(), KEEP_DRAFT_AFTER_MS);
  }

  #keepDraft(): void {
    this.#desk.conversation.keepDraft(this.view.getState().draft.text);
  }

  #draftKept(): void {
    if (this.#draftTimer !== null) clearTimeout(this.#draftTimer);
    this.#draftTimer = null;
  }

  /** Takes what the store says into the view: text that comes back, another session, a turn that began or ended. */
  #onState(): void {
    const state = this.#state();
    const { returned, session } = state;
    if (returned.serial !== this.#seenReturned) {
      this.#seenReturned = returned.serial;
      this.view.update((view) => ({
        ...view,
        draft: replaceAll(view.draft, mergedDraft(returned, view.draft.text)),
      }));
    }
    const id = session?.id ?? null;
    if (id !== this.#seenSession) {
      this.#seenSession = id;
      this.view.update((view) => ({ ...view, scroll: { kind: 'tail' } }));
    }
    if (state.historyState !== 'loading' && this.view.getState().prompts.entries.length === 0)
      this.#readPrompts(state);
    this.#tick();
  }

  #readPrompts(state: State): void {
    const said = state.history.flatMap((block) => (block.kind === 'user' ? [block.text] : []));
    if (said.length > 0) this.view.update((view) => ({ ...view, prompts: historyOf(said) }));
  }

  /** One tick a second while something on the screen tells time; none otherwise. */
  #tick(): void {
    const nowMs = performance.now();
    const ladder = observeTurn(this.view.getState().ladder, ladderTurn(this.#state()), nowMs);
    this.view.update((view) => (view.ladder === ladder ? view : { ...view, ladder }));
    if (this.#tickTimer !== null) return;
    const { changesInMs } = ladderNotice(ladder, nowMs);
    const { link, live } = this.#state();
    const unlinked = link.kind === 'lost' || link.kind === 'connecting';
    const telling = live !== null || unlinked ? TICK_MS : changesInMs;
    if (telling === null) return;
    this.#tickTimer = setTimeout(
      () => {
        this.#tickTimer = null;
        this.view.update((view) => ({ ...view, now: Date.now() }));
        this.#tick();
      },
      Math.min(TICK_MS, telling + 1),
    );
  }
}

function mergedDraft(returned: State['returned'], draft: string): string {
  if (returned.place === 'instead' || draft === '') return returned.text;
  return returned.text === '' ? draft : `${returned.text}\n${draft}`;
}
