/**
 * Turns key events into commands, and what the store says into the view.
 * Invariant: keys are named in the data of `keys/` only; what a command does is said in `commands/`.
 */
import type { Written } from '../store/drafts.ts';
import type { Returned, State } from '../store/state.ts';
import { Store } from '../store/store.ts';
import type { LiveTurn } from '../transcript/live-turn.ts';
import { leftBehind, observed } from './activity/activity-view.ts';
import { attachDropped } from './commands/attach.ts';
import { sayHowToWrite } from './commands/browse.ts';
import { HANDLERS } from './commands/handlers.ts';
import { typeAnswer } from './commands/login.ts';
import { editPicker } from './commands/picker.ts';
import { editField } from './commands/search.ts';
import { ladderTurn } from './commands/way-out.ts';
import type { Completion } from './completion/completion.ts';
import { answered, followed, openCompletion } from './completion/completion-steps.ts';
import { FileFinder } from './completion/file-finder.ts';
import { searchTyped } from './completion/history-steps.ts';
import { draftText, withInserted, withKept, withTextBefore } from './composer/draft.ts';
import { historyJoined } from './composer/history.ts';
import { insert } from './composer/text-buffer.ts';
import { contextsOf } from './contexts.ts';
import type { Desk } from './desk.ts';
import type { Size } from './frame.ts';
import { contextOf, resolve } from './keys/bindings.ts';
import type { ReadMoment } from './keys/input-source.ts';
import { disarm, ladderNotice, observeTurn } from './keys/interrupt-ladder.ts';
import { type KeyEvent, typedText } from './keys/key-event.ts';
import { SeenEnds } from './reading/seen-ends.ts';
import { turnPages } from './turn-pages.ts';
import { initialView, type View } from './view.ts';

export interface ControllerParts
  extends Pick<
    Desk,
    | 'store'
    | 'conversation'
    | 'talk'
    | 'leave'
    | 'suspend'
    | 'redraw'
    | 'copy'
    | 'prompts'
    | 'lend'
    | 'saveKey'
    | 'preferences'
  > {
  readonly size: Size;
  /** The folder whose files can be named in a draft, as an absolute path. */
  readonly workspace: string;
  /** Between two pictures of a running clock, ms. */
  readonly tickMs: () => number;
}

const KEEP_DRAFT_AFTER_MS = 300;
/** How long a word stays that goes away by itself, ms. */
const HINT_MS = 4_000;

export class Controller {
  readonly view: Store<View>;
  readonly #desk: Desk;
  readonly #tickMs: () => number;
  readonly #files: FileFinder;
  #moment: ReadMoment = { batch: 0, atMs: 0 };
  #draftTimer: NodeJS.Timeout | null = null;
  #tickTimer: NodeJS.Timeout | null = null;
  #unfollow: (() => void) | null = null;
  #following: 'login' | 'settings' | null = null;
  /** What was taken into the view last. */
  #heard: State | null = null;
  #seenSession: string | null = null;
  /** The session whose messages the history holds. */
  #promptsOf: string | null = null;
  #seenLive: LiveTurn | null = null;
  readonly #seenEnds = new SeenEnds();

  constructor({ size, tickMs, workspace, ...parts }: ControllerParts) {
    this.#files = new FileFinder(workspace, (answer) => this.view.update((view) => answered(view, answer)));
    this.#tickMs = tickMs;
    this.view = new Store(initialView(size, Date.now()), queueMicrotask);
    this.#desk = {
      ...parts,
      workspace,
      view: this.view,
      say: (text) => this.#say(text),
      files: this.#files,
      run: (command) => HANDLERS[contextOf(command)](command, this.#desk, this.#moment),
      edit: (change) => this.#edit(change),
      draftKept: () => this.#draftKept(),
    };
    parts.conversation.readDraftFrom(() => this.#written());
    parts.store.subscribe(() => this.#onState());
    this.#onState();
    this.view.subscribe(() => this.#followOthers());
    void parts.prompts.load().then((sent) => this.#joinPrompts(sent, 'before'));
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
    this.#moment = moment;
    // A key is for what the store says now, not for what it said a frame ago.
    this.#onState();
    const contexts = contextsOf(this.#state(), this.view.getState());
    switch (event.kind) {
      case 'paste':
        if (contexts.includes('composer')) this.#paste(event.text);
        else if (contexts.includes('browse')) sayHowToWrite(this.#desk);
        else if (this.view.getState().screen === 'login') typeAnswer(this.#desk, event.text, 'pasted');
        return;
      case 'key': {
        const command = resolve(event, contexts);
        const text = typedText(event);
        if (command !== null) {
          HANDLERS[contextOf(command)](command, this.#desk, moment);
          turnPages(this.#desk, 'unasked');
          this.#tick();
        } else if (text !== null && contexts.includes('composer')) this.#insert(text, 'typed');
        else if (text !== null && contexts.includes('browse')) sayHowToWrite(this.#desk);
        else if (text !== null && contexts.includes('login-field')) typeAnswer(this.#desk, text, 'typed');
        return;
      }
      case 'focus':
        if (event.focused) void this.#desk.conversation.settings.look();
        return;
      case 'reply':
        // The window's business, not a key.
        return;
    }
  }

  /** Keeps the draft now and stops all timers. */
  dispose(): void {
    this.#unfollow?.();
    this.#draftKept();
    if (this.#tickTimer !== null) clearTimeout(this.#tickTimer);
    this.#files.close();
    this.#keepDraft();
  }

  /** Others sign in and out and change settings, too: whoever looks at the list sees it. */
  #followOthers(): void {
    const { screen } = this.view.getState();
    const wanted = screen === 'login' || screen === 'settings' ? screen : null;
    if (wanted === this.#following) return;
    this.#following = wanted;
    this.#unfollow?.();
    const { settings, signing } = this.#desk.conversation;
    this.#unfollow = wanted === null ? null : wanted === 'login' ? signing.follow() : settings.follow();
  }

  #state(): State {
    return this.#desk.store.getState();
  }

  #say(text: string): void {
    this.view.update((view) => ({ ...view, hint: { text, until: performance.now() + HINT_MS } }));
    this.#tick();
  }

  /** A file that was dropped on the window comes as a paste of its path. */
  #paste(text: string): void {
    const { historySearch, search } = this.view.getState();
    const isDraft = historySearch === null && search === null;
    if (!isDraft || !attachDropped(text, this.#desk)) this.#insert(text, 'pasted');
  }

  #insert(text: string, how: 'typed' | 'pasted'): void {
    if (this.view.getState().picker !== null) {
      editPicker(this.#desk, (field) => insert(field, text));
      return;
    }
    if (this.view.getState().search !== null) {
      editField(this.#desk, (field) => insert(field, text));
      return;
    }
    if (this.view.getState().historySearch !== null) this.view.update((view) => searchTyped(view, text));
    else this.#edit((view) => withInserted(view, text, how));
  }

  #edit(change: (view: View) => View): void {
    const before = openCompletion(this.view.getState());
    this.view.update((view) => ({ ...followed(change(view)), ladder: disarm(view.ladder) }));
    this.#askFiles(before);
    this.#draftKept();
    this.#draftTimer = setTimeout(() => this.#keepDraft(), KEEP_DRAFT_AFTER_MS);
  }

  /** Asks for what the word at the caret may become, when that has changed. */
  #askFiles(before: Completion | null): void {
    const open = openCompletion(this.view.getState());
    if (open === null || open.kind !== 'file' || open === before) return;
    const isOpening = before === null || before.kind !== 'file';
    if (isOpening || before.trigger.query !== open.trigger.query)
      this.#files.ask(open.trigger.query, isOpening ? 'opening' : 'open');
  }

  #keepDraft(): void {
    const { files, text } = this.#written();
    this.#desk.conversation.keepDraft(text, files);
  }

  #written(): Written {
    const seen = this.view.getState();
    return { text: draftText(seen), files: seen.attachments };
  }

  #draftKept(): void {
    if (this.#draftTimer !== null) clearTimeout(this.#draftTimer);
    this.#draftTimer = null;
  }

  /** Takes what the store says into the view: text that comes back, another session, a turn that began or ended. */
  #onState(): void {
    const state = this.#state();
    if (state === this.#heard) return;
    const { session } = state;
    const returned = this.#desk.conversation.takeReturned();
    this.#heard = this.#state();
    if (returned.length > 0) this.#edit((view) => returned.reduce(withReturned, view));
    const id = session?.id ?? null;
    if (id !== this.#seenSession) {
      this.#seenSession = id;
      this.view.update((view) => ({
        ...view,
        scroll: { kind: 'tail' },
        browse: null,
        search: null,
        detail: null,
        picker: null,
        activity: leftBehind(view.activity),
      }));
    }
    const { scroll } = this.view.getState();
    const unread = this.#seenEnds.hear(state, scroll.kind === 'tail' ? 'at-end' : 'elsewhere');
    if (unread !== undefined)
      this.view.update((view) =>
        view.look.unread === unread ? view : { ...view, look: { ...view.look, unread } },
      );
    const before = this.#seenLive;
    this.#seenLive = state.live;
    this.view.update((view) => {
      const activity = observed(view.activity, before, state.live);
      return activity === view.activity ? view : { ...view, activity };
    });
    if (state.historyState !== 'loading' && id !== this.#promptsOf) this.#readPrompts(state, id);
    turnPages(this.#desk, 'unasked');
    this.#tick();
  }

  /** What was said in the session that is open now comes first when somebody goes back. */
  #readPrompts({ history }: State, session: string | null): void {
    this.#promptsOf = session;
    this.#joinPrompts(
      history.flatMap((block) => (block.kind === 'user' ? [block.text] : [])),
      'newest',
    );
  }

  #joinPrompts(sent: readonly string[], where: 'before' | 'newest'): void {
    if (sent.length > 0)
      this.view.update((view) => ({ ...view, prompts: historyJoined(view.prompts, sent, where) }));
  }

  /** Ticks while something on the screen tells time; none otherwise. */
  #tick(): void {
    const nowMs = performance.now();
    const ladder = observeTurn(this.view.getState().ladder, ladderTurn(this.#state()), nowMs);
    this.view.update((view) => (view.ladder === ladder ? view : { ...view, ladder }));
    if (this.#tickTimer !== null) return;
    const { changesInMs } = ladderNotice(ladder, nowMs);
    const { catalog, link, live, signIn } = this.#state();
    const isCounting = live !== null || signIn?.deadline != null || catalog.progress !== null;
    const unlinked = link.kind === 'lost' || link.kind === 'connecting';
    const { hint } = this.view.getState();
    const hintMs = hint === null || hint.until < nowMs ? Number.POSITIVE_INFINITY : hint.until - nowMs;
    const changes = Math.min(changesInMs ?? Number.POSITIVE_INFINITY, hintMs);
    const tickMs = this.#tickMs();
    const telling = isCounting || unlinked ? tickMs : Number.isFinite(changes) ? changes : null;
    if (telling === null) return;
    this.#tickTimer = setTimeout(
      () => {
        this.#tickTimer = null;
        this.view.update((view) => ({ ...view, now: Date.now() }));
        this.#tick();
      },
      Math.min(tickMs, telling + 1),
    );
  }
}

/** With what comes back: before what is there, or instead of it. */
function withReturned(view: View, { attachments, place, text }: Returned): View {
  if (place === 'instead') return { ...withKept(view, text), attachments };
  return { ...withTextBefore(view, text), attachments: [...attachments, ...view.attachments] };
}
