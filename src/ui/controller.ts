/**
 * Turns key events into commands and commands into steps: of the view here, of the conversation in the store.
 * Invariant: keys are named in `keys/commands.ts` only.
 */
import type { Conversation } from '../store/conversation.ts';
import type { State } from '../store/state.ts';
import { Store } from '../store/store.ts';
import { historyOf, historySent } from './composer/history.ts';
import { bufferOf, deleteForward, EMPTY_BUFFER, insert, replaceAll } from './composer/text-buffer.ts';
import { editDraft } from './draft-commands.ts';
import { type Size, SMALLEST } from './frame.ts';
import { type CommandId, type KeyContext, resolve } from './keys/bindings.ts';
import type { ReadMoment } from './keys/input-source.ts';
import {
  disarm,
  type LadderKey,
  type LadderTurn,
  ladderNotice,
  observeTurn,
  pressLadder,
} from './keys/interrupt-ladder.ts';
import { type KeyEvent, typedText } from './keys/key-event.ts';
import { movedEntry } from './list-commands.ts';
import { lastHelpTop } from './screens/other.ts';
import { scrollTalk } from './scroll-commands.ts';
import type { Talk } from './talk.ts';
import { initialView, type View } from './view.ts';

export interface ControllerParts {
  readonly store: Store<State>;
  readonly conversation: Conversation;
  readonly talk: Talk;
  readonly size: Size;
  readonly leave: () => void;
  readonly suspend: () => void;
  readonly redraw: () => void;
}

const KEEP_DRAFT_AFTER_MS = 300;
const TICK_MS = 1000;

export class Controller {
  readonly view: Store<View>;
  readonly #parts: ControllerParts;
  #draftTimer: NodeJS.Timeout | null = null;
  #tickTimer: NodeJS.Timeout | null = null;
  #seenReturned = 0;
  #seenSession: string | null = null;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.view = new Store(initialView(parts.size, Date.now()), queueMicrotask);
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
    switch (event.kind) {
      case 'paste':
        if (this.#contexts().includes('composer'))
          this.#edit((view) => ({ ...view, draft: insert(view.draft, event.text) }));
        return;
      case 'key': {
        const command = resolve(event, this.#contexts());
        const text = typedText(event);
        if (command !== null) this.#run(command, moment);
        else if (text !== null) this.#type(text);
        return;
      }
      case 'focus':
      case 'reply':
        return;
    }
  }

  /** Keeps the draft now and stops all timers. */
  dispose(): void {
    if (this.#draftTimer !== null) clearTimeout(this.#draftTimer);
    if (this.#tickTimer !== null) clearTimeout(this.#tickTimer);
    this.#parts.conversation.keepDraft(this.view.getState().draft.text);
  }

  #state(): State {
    return this.#parts.store.getState();
  }

  #contexts(): readonly KeyContext[] {
    const view = this.view.getState();
    const { columns, rows } = view.size;
    if (view.help !== null) return ['help', 'chat'];
    if (this.#state().setup !== null) return ['choice', 'chat'];
    if (view.screen === 'sessions') return ['list', 'chat'];
    if (columns < SMALLEST.columns || rows < SMALLEST.rows) return ['chat'];
    const asks = (this.#state().live?.envelopes?.questions.length ?? 0) > 0;
    return asks ? ['question', 'composer', 'transcript', 'chat'] : ['composer', 'transcript', 'chat'];
  }

  #type(text: string): void {
    if (!this.#contexts().includes('composer')) return;
    this.#edit((view) => ({ ...view, draft: insert(view.draft, text) }));
  }

  #edit(change: (view: View) => View): void {
    this.view.update((view) => ({ ...change(view), ladder: disarm(view.ladder) }));
    if (this.#draftTimer !== null) clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(
      () => this.#parts.conversation.keepDraft(this.view.getState().draft.text),
      KEEP_DRAFT_AFTER_MS,
    );
  }

  #run(command: CommandId, moment: ReadMoment): void {
    const [context] = command.split('.', 1);
    switch (context) {
      case 'chat':
        this.#runChat(command, moment);
        return;
      case 'composer':
        this.#runComposer(command);
        return;
      case 'transcript': {
        const scroll = scrollTalk(command, this.#state(), this.view.getState(), this.#parts.talk);
        if (scroll !== null) this.view.update((view) => ({ ...view, scroll }));
        return;
      }
      case 'list':
        this.#runList(command);
        return;
      case 'question':
        this.#answer(command);
        return;
      case 'choice':
        this.#runChoice(command);
        return;
      default:
        this.#runHelp(command);
    }
  }

  #runChat(command: CommandId, moment: ReadMoment): void {
    const { conversation } = this.#parts;
    switch (command) {
      case 'chat.interrupt':
        this.#press('ctrl-c', moment);
        return;
      case 'chat.quit':
        this.#press('ctrl-d', moment);
        return;
      case 'chat.stop':
        this.#press('escape', moment);
        return;
      case 'chat.help':
        this.view.update((view) => ({ ...view, help: 0 }));
        return;
      case 'chat.sessions':
        if (this.view.getState().screen === 'sessions') this.#show('chat');
        else {
          this.#show('sessions');
          conversation.listSessions();
        }
        return;
      case 'chat.new-session':
        this.#show('chat');
        conversation.keepDraft(this.view.getState().draft.text);
        conversation.startNew();
        return;
      case 'chat.providers':
        this.#show('chat');
        conversation.askWho();
        return;
      case 'chat.suspend':
        this.#parts.suspend();
        return;
      case 'chat.redraw':
        this.#parts.redraw();
        return;
    }
  }

  #show(screen: View['screen']): void {
    this.view.update((view) => ({ ...view, screen, help: null }));
  }

  #press(key: LadderKey, { batch, atMs }: ReadMoment): void {
    const { ladder, draft } = this.view.getState();
    const filled = draft.text === '' ? 'empty' : 'filled';
    const step = pressLadder(ladder, { key, draft: filled, turn: this.#turn(), nowMs: atMs, batch });
    this.view.update((view) => ({ ...view, ladder: step.state }));
    switch (step.action) {
      case 'clear-draft':
        this.view.update((view) => ({ ...view, draft: replaceAll(view.draft, '') }));
        this.#parts.conversation.keepDraft('');
        break;
      case 'stop-turn':
        this.#parts.conversation.stop();
        break;
      case 'delete-forward':
        this.#edit((view) => ({ ...view, draft: deleteForward(view.draft) }));
        break;
      case 'leave':
        this.#parts.leave();
        break;
      case 'hint':
      case 'none':
        break;
    }
    this.#tick();
  }

  #turn(): LadderTurn {
    const { live } = this.#state();
    return live === null
      ? { phase: 'none' }
      : { phase: live.stopping ? 'stopping' : 'running', id: live.turnId };
  }

  #answer(command: CommandId): void {
    const { conversation } = this.#parts;
    if (command === 'question.once') conversation.answer('allow-once');
    const always = this.#state().live?.envelopes?.questions[0]?.rules.length !== 0;
    if (command === 'question.always' && always) conversation.answer('allow-always');
    if (command === 'question.deny') conversation.answer('deny');
  }

  #runComposer(command: CommandId): void {
    if (command === 'composer.send') this.#send((text) => this.#parts.conversation.send(text));
    else if (command === 'composer.steer') this.#send((text) => this.#parts.conversation.steer(text));
    else this.#edit((view) => editDraft(view, command) ?? view);
  }

  #send(say: (text: string) => string): void {
    const { link } = this.#state();
    const { text } = this.view.getState().draft;
    if (text.trim() === '') {
      if (link.kind === 'refused' || link.kind === 'lost') this.#parts.conversation.retry();
      return;
    }
    if (say(text) === 'too-long') return;
    this.view.update((view) => ({
      ...view,
      draft: { ...EMPTY_BUFFER, killRing: view.draft.killRing },
      prompts: historySent(view.prompts, text),
      scroll: { kind: 'tail' },
    }));
    if (this.#draftTimer !== null) clearTimeout(this.#draftTimer);
  }

  #runList(command: CommandId): void {
    const { conversation } = this.#parts;
    const { rows } = this.#state().sessions;
    this.view.update((view) => ({
      ...view,
      selected: movedEntry(command, { at: view.selected, count: rows.length, page: view.size.rows - 4 }),
    }));
    switch (command) {
      case 'list.open':
        this.#openSelected();
        break;
      case 'list.new':
        this.#show('chat');
        conversation.startNew();
        break;
      case 'list.help':
        this.view.update((view) => ({ ...view, help: 0 }));
        break;
      case 'list.close':
        this.#show('chat');
        break;
    }
  }

  #openSelected(): void {
    const { sessions, session } = this.#state();
    const row = sessions.rows[this.view.getState().selected];
    if (row === undefined) return;
    this.#parts.conversation.keepDraft(this.view.getState().draft.text);
    if (row.id !== session?.id) this.#parts.conversation.open(row.id, row.title);
    this.view.update((view) => ({ ...view, screen: 'chat', scroll: { kind: 'tail' } }));
  }

  #runChoice(command: CommandId): void {
    const choices = this.#state().setup ?? [];
    this.view.update((view) => ({
      ...view,
      howTo: '',
      choice: movedEntry(command, { at: view.choice, count: choices.length, page: choices.length }),
    }));
    if (command === 'choice.cancel') this.#parts.conversation.keepAnswering();
    const choice = choices[this.view.getState().choice];
    if (command !== 'choice.accept' || choice === undefined) return;
    if (choice.howTo === '') this.#parts.conversation.choose(choice);
    else this.view.update((view) => ({ ...view, howTo: choice.howTo }));
  }

  #runHelp(command: CommandId): void {
    this.view.update((view) => {
      if (view.help === null) return view;
      if (command === 'help.close') return { ...view, help: null };
      const count = lastHelpTop(view.size) + 1;
      return { ...view, help: movedEntry(command, { at: view.help, count, page: view.size.rows - 4 }) };
    });
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
    const ladder = observeTurn(this.view.getState().ladder, this.#turn(), nowMs);
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
