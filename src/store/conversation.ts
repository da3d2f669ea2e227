/**
 * Drives one conversation over a link that may come and go (PROTOCOL.md, "Claim", "Turns").
 * Invariants: one session operation at a time, in order; an uncertain message is looked up, never sent again
 * by itself; nothing is claimed or created before there is something to say or a session was chosen.
 */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import type { LinkStatus, ServiceLink } from '../client/link.ts';
import { type Pause, realPause } from '../client/pause.ts';
import type { ControlEvent, ControlledSession } from '../client/session-control.ts';
import { type OutputStretch, readOutput, speaksEnvelopes } from '../client/session-profile.ts';
import type { LiveContext } from '../transcript/live-turn.ts';
import type { ConfigureRequest, Decision } from '../wire/session-protocol.ts';
import { Attachment } from './attachment.ts';
import { Choosing } from './choosing.ts';
import { Delivery } from './delivery.ts';
import { Drafts, type Written } from './drafts.ts';
import { Hold } from './hold.ts';
import type { Keeper } from './keeper.ts';
import { linkStateOf } from './link-state.ts';
import { ModelCatalog } from './model-catalog.ts';
import { NEW, Opening } from './opening.ts';
import { backToDraft, newestQueued, queued, tooLong, withoutItem } from './outbox.ts';
import { nameSession, type PastPages } from './past.ts';
import { SavingSettings } from './saving-settings.ts';
import { readService } from './service-facts.ts';
import { loadSessions } from './session-list.ts';
import { SigningIn } from './signing-in.ts';
import type { AttachedFile, Choice, OutboxItem, Returned, State } from './state.ts';
import type { Store } from './store.ts';
import { TellingPast } from './telling-past.ts';
import { TurnControls } from './turn-controls.ts';
import { unanswered } from './unanswered.ts';
import * as step from './updates.ts';
import { Watch } from './watch.ts';
import { WhoAnswers } from './who-answers.ts';

export interface ConversationParts {
  readonly store: Store<State>;
  readonly link: ServiceLink;
  readonly keeper: Keeper;
  /** Unix time, ms. */
  readonly now: () => number;
  /** A fresh envelope ID. */
  readonly newId: () => string;
  /** A fresh operation ID. */
  readonly newOperationId: () => string;
  /** Runs something after some ms; the returned function takes it back. */
  readonly later: (run: () => void, ms: number) => () => void;
  /** Waiting between two looks at the same thing; real time when absent. */
  readonly pause?: Pause;
  /** The service has copies of these files. */
  readonly taken?: (files: readonly AttachedFile[]) => void;
  /** What to open first: a session ID, `last` for the newest one, or `new`. */
  readonly target: string;
}

/** The link ends control in any case. */
const LEAVING_MS = 500;

export class Conversation {
  readonly #parts: ConversationParts;
  readonly #pause: Pause;
  readonly #hold: Hold;
  readonly #past: TellingPast;
  readonly #delivery: Delivery;
  readonly #watch: Watch;
  readonly #controls: TurnControls;
  readonly #who: WhoAnswers;
  /** Signing in and out. */
  readonly signing: SigningIn;
  /** Who could answer, and with which models. */
  readonly catalog: ModelCatalog;
  /** What is saved for every session. */
  readonly settings: SavingSettings;
  readonly #choosing: Choosing;
  readonly #attachment: Attachment;
  readonly #drafts: Drafts;
  readonly #opening: Opening;
  /** The instance whose settings we know. */
  #known: string | null = null;
  /** Since when there is no link; Unix time, ms. */
  #unlinkedSince: number;
  #work: Promise<void> = Promise.resolve();
  readonly #unsubscribe: () => void;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#pause = parts.pause ?? realPause;
    const { later, newOperationId, store } = parts;
    const enqueue = (job: () => Promise<void>) => this.#enqueue(job);
    const connection = () => this.#hold.connection;
    this.#hold = new Hold({
      store,
      newOperationId,
      pause: this.#pause,
      onTurn: (event) => this.#onTurn(event),
      created: (sessionId) => this.#opening.created(sessionId),
    });
    this.#past = new TellingPast({ store, connection, enqueue, later, read: () => this.#delivery.judge() });
    this.#delivery = new Delivery({
      store,
      connection,
      control: () => this.#controlForSending(),
      accepted: (turnId, operationId) => {
        this.#update(step.turnAccepted(turnId, operationId, this.#context()));
        nameSession(store);
      },
      arrived: (operationId) => this.#update(step.messageArrived(operationId, this.#context())),
      enqueue,
      keep: () => this.#drafts.save(),
      taken: (files) => parts.taken?.(files),
    });
    this.#watch = new Watch({ store, past: this.#past, connection, enqueue, later });
    this.#controls = new TurnControls({
      store,
      control: () => this.#hold.control,
      keep: () => this.#drafts.save(),
      send: (text) => this.send(text),
      report: (error) => this.#report(error),
    });
    this.#who = new WhoAnswers(store);
    this.signing = new SigningIn({
      store,
      connection,
      newOperationId,
      now: parts.now,
      later,
      changed: () => this.#withConnection(async (present) => this.#update(await readService(present))),
      report: (error) => this.#report(error),
    });
    this.catalog = new ModelCatalog({ store, connection, now: parts.now });
    this.settings = new SavingSettings({ store, connection, later });
    this.#choosing = new Choosing({
      store,
      settings: this.settings,
      control: () => this.#hold.forSending(),
      enqueue,
    });
    this.#attachment = new Attachment({
      store,
      hold: this.#hold,
      delivery: this.#delivery,
      controls: this.#controls,
      watch: this.#watch,
      past: this.#past,
      context: () => this.#context(),
    });
    this.#drafts = new Drafts(store, parts.keeper, parts.target === NEW ? 'new' : 'another');
    this.#opening = new Opening({
      store,
      hold: this.#hold,
      drafts: this.#drafts,
      past: this.#past,
      report: (failure) => this.#report(failure),
      target: parts.target,
    });
    this.#unlinkedSince = parts.now();
    this.#unsubscribe = parts.link.subscribe((status) => this.#onLink(status));
  }

  /** Asks `composer` what is written whenever another session is about to be opened. */
  readDraftFrom(composer: () => Written): void {
    this.#drafts.readFrom(composer);
  }

  /** Text for the composer that came since this was asked last: a kept draft, a message that was not sent. */
  takeReturned(): readonly Returned[] {
    return this.#drafts.take();
  }

  /** The pages of the open session, for its reader. */
  get pages(): PastPages {
    return this.#past.pages;
  }

  /** Keeps the draft durably. */
  keepDraft(text: string, files: readonly AttachedFile[] = []): void {
    this.#drafts.keep(text, files);
  }

  /** Opens a past session; the chat shows it as far as it can be read, and claims it. */
  open(sessionId: string, title: string): void {
    this.#enqueue(async () => {
      await this.#opening.show({ id: sessionId, title });
      await this.#attachment.attach();
    });
  }

  /** Leaves the session and starts a new one with the next message. */
  startNew(): void {
    this.#enqueue(() => this.#opening.show(null));
  }

  /** Puts a message in the outbox; it goes out as soon as the turn before it has ended. One that no turn can take is refused. */
  send(text: string, attachments: readonly AttachedFile[] = []): 'queued' | 'too-long' {
    const refusal = tooLong(text);
    if (refusal !== null) {
      this.#update(step.noticed(refusal, 'warn'));
      return 'too-long';
    }
    const item = queued(this.#parts.newOperationId(), text, attachments);
    this.#update((state) => ({ ...state, outbox: [...state.outbox, item], notice: null }));
    this.#drafts.keep('');
    this.#delivery.pump();
    return 'queued';
  }

  /** Puts the newest message that waits back in the draft; null when none can be had back. */
  takeBack(): OutboxItem | null {
    return this.#unqueue((state, item) => backToDraft(state, [item]));
  }

  /** Takes the newest message that waits out of the outbox; its text, or null when none can be had. */
  drop(): string | null {
    const item = this.#unqueue((state, gone) => withoutItem(state, gone));
    return item?.text ?? null;
  }

  /** Asks the running turn to stop; queued messages go back to the draft. */
  stop(): void {
    this.#controls.stop();
  }

  /** Answers the question that has waited longest. */
  answer(decision: Decision): void {
    this.#controls.answer(decision);
  }

  /** Puts words to the running turn; where that is not possible they wait for its end. One that no turn can take is refused. */
  steer(text: string): 'steered' | 'too-long' {
    const refusal = tooLong(text);
    if (refusal !== null) {
      this.#update(step.noticed(refusal, 'warn'));
      return 'too-long';
    }
    this.#drafts.keep('');
    this.#controls.steer(text);
    return 'steered';
  }

  /**
   * A stretch of what a tool of the open session printed, from a byte on; null where nobody can say.
   * @throws WireFailure
   */
  async readOutput(call: string, offset: number): Promise<OutputStretch | null> {
    const { connection } = this.#hold;
    const { session } = this.#state();
    if (connection === null || session === null || !speaksEnvelopes(connection)) return null;
    return readOutput(connection, session.id, call, offset);
  }

  /** Reads the list of past sessions into the state. */
  listSessions(): void {
    const { connection } = this.#hold;
    if (connection !== null)
      loadSessions(this.#parts.store, connection).catch((error: unknown) => this.#report(error));
  }

  /** Asks again who should answer. */
  askWho(): void {
    this.#withConnection((connection) => this.#who.ask(connection));
  }

  /** Leaves the question who should answer as it was, if somebody can. */
  keepAnswering(): void {
    this.#withConnection((connection) => this.#who.keep(connection));
  }

  /** Saves who answers from now on. */
  choose(choice: Choice): void {
    this.#withConnection(async (connection) => {
      await this.#who.choose(connection, choice);
      this.#delivery.pump();
    });
  }

  /** Changes what the open session works with from its next turn on. */
  change(change: ConfigureRequest): void {
    this.#choosing.choose(change);
  }

  /** Tries the link again at once. */
  retry(): void {
    this.#parts.link.retryNow();
  }

  /** Gives up control and the link; a service that does not answer is not waited for. The turn goes on without us. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#watch.stop();
    this.#past.stop();
    const patience = this.#pause(LEAVING_MS);
    this.#drafts.save();
    await Promise.race([this.#hold.release().catch(() => undefined), patience]);
    this.#parts.link.close();
  }

  async #controlForSending(): Promise<ControlledSession> {
    const control = await this.#hold.forSending();
    await this.#choosing.settle(control);
    return control;
  }

  #unqueue(change: (state: State, item: OutboxItem) => State): OutboxItem | null {
    const item = newestQueued(this.#state().outbox, this.#delivery.sending);
    if (item === null) return null;
    this.#update((state) => change(state, item));
    this.#drafts.save();
    return item;
  }

  #state(): State {
    return this.#parts.store.getState();
  }

  #update(change: (state: State) => State): void {
    this.#parts.store.update(change);
  }

  #context(): LiveContext {
    return { newId: this.#parts.newId, now: this.#parts.now() };
  }

  #enqueue(job: () => Promise<void>): void {
    this.#work = this.#work.then(() => this.#reporting(job));
  }

  /** A failure of a job is told; it ends nothing else. */
  async #reporting(job: () => Promise<void>): Promise<void> {
    await job().catch((error: unknown) => this.#report(error));
  }

  #withConnection(job: (connection: Connection) => Promise<void>): void {
    this.#enqueue(async () => {
      if (this.#hold.connection !== null) await job(this.#hold.connection);
    });
  }

  #report(error: unknown): void {
    const failure = failureOf(error);
    if (failure.code === 'link_lost') return;
    this.#update(step.noticed(`${failure.sentence} ${failure.next}`, 'warn'));
  }

  #onLink(status: LinkStatus): void {
    if (status.kind === 'lost' || status.kind === 'refused') this.#lose();
    if (status.kind === 'ready') {
      this.#hold.arrive(status.connection);
      this.#update(step.connectionMade(status.connection.service.connection_id));
      this.#enqueue(() => this.#arrive(status.connection));
    } else {
      const link = linkStateOf(status, this.#unlinkedSince);
      this.#update((state) => ({ ...state, link }));
    }
  }

  #lose(): void {
    if (this.#state().link.kind === 'ready') {
      this.#unlinkedSince = this.#parts.now();
      this.#update(step.linkLost(this.#unlinkedSince));
    }
    this.#hold.lose();
    this.#delivery.lose();
    this.signing.lose();
  }

  /** The running turn first: it is what people look at. */
  async #arrive(connection: Connection): Promise<void> {
    this.#past.listenTo(connection);
    await this.#reporting(async () => {
      await this.#opening.showTarget(connection);
      if (this.#state().session !== null) await this.#attachment.attach();
    });
    if (this.#hold.connection !== connection) return;
    const { instance_id: instance } = connection.service;
    if (this.#known !== instance || this.#state().setup !== null) this.#update(await readService(connection));
    this.#known = instance;
    await this.#reporting(() => this.signing.arrive(connection));
    await this.#reporting(() => this.settings.arrive(connection));
    this.#update((state) => ({ ...state, link: { kind: 'ready' } }));
    this.#delivery.pump();
  }

  #onTurn(event: ControlEvent): void {
    switch (event.type) {
      case 'envelope':
        this.#past.take(event);
        return;
      case 'started':
        // The settings that it took may not be those that were read last.
        void this.settings.look();
        this.#delivery.accept(event.turnId);
        return;
      case 'delta':
        this.#update(step.deltaArrived(event.text, event.piece, this.#context()));
        return;
      case 'activity':
        this.#update(step.activityArrived(event.activity, event.dropped, this.#context()));
        return;
      case 'terminal':
        // What the next turn works with may have been changed elsewhere.
        void this.settings.look();
        this.#past.afterPages(() => {
          const asked = unanswered(this.#state(), event.terminal);
          this.#update(step.turnEnded(event.terminal, this.#context()));
          if (asked !== null) {
            this.#update(step.wordsReturned(asked));
            this.#drafts.save();
          }
          this.#enqueue(() => this.#afterTurn());
        });
        return;
    }
  }

  async #afterTurn(): Promise<void> {
    const { session } = this.#state();
    const { connection } = this.#hold;
    if (connection !== null && session !== null) await this.#past.reconcile(connection, session.id);
    this.#delivery.pump();
  }
}

function failureOf(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error;
  throw error;
}
