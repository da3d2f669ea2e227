/**
 * Drives one conversation over a link that may come and go (PROTOCOL.md, "Claim", "Turns").
 * Invariants: one session operation at a time, in order; an uncertain message is looked up, never sent again
 * by itself; nothing is claimed or created before there is something to say or a session was chosen.
 */
import type { Connection } from '../client/connection.ts';
import { localFailure, WireFailure } from '../client/failure.ts';
import type { LinkStatus, ServiceLink } from '../client/link.ts';
import { type ControlledSession, claimSession, type TurnEvent } from '../client/session-control.ts';
import type { LiveContext } from '../transcript/live-turn.ts';
import type { Snapshot } from '../wire/session.ts';
import { Delivery } from './delivery.ts';
import { type Keeper, keptDraft } from './keeper.ts';
import { linkStateOf } from './link-state.ts';
import { backToDraft, queued, tooLong } from './outbox.ts';
import { Past } from './past.ts';
import { choose, NOBODY, readChoices, readService } from './service-facts.ts';
import { loadSessions } from './session-list.ts';
import type { Choice, Returned, State } from './state.ts';
import type { Store } from './store.ts';
import * as step from './updates.ts';
import { Watch } from './watch.ts';

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
  /** What to open first: a session ID, `last` for the newest one, or `new`. */
  readonly target: string;
}

const NEW_SESSION = 'new';
const INTERRUPTED = 'The service stopped in mid-turn.';

export class Conversation {
  readonly #parts: ConversationParts;
  #connection: Connection | null = null;
  #control: ControlledSession | null = null;
  readonly #past: Past;
  readonly #delivery: Delivery;
  readonly #watch: Watch;
  #draft = '';
  #target: string;
  #work: Promise<void> = Promise.resolve();
  readonly #unsubscribe: () => void;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#past = new Past(parts.store);
    this.#delivery = new Delivery({
      store: parts.store,
      connection: () => this.#connection,
      control: () => this.#controlForSending(),
      accepted: (turnId, operationId) => {
        this.#update(step.turnAccepted(turnId, operationId, this.#context()));
        this.#past.nameSession();
      },
      enqueue: (job) => this.#enqueue(job),
      keep: () => this.#save(),
    });
    this.#watch = new Watch({
      store: parts.store,
      past: this.#past,
      connection: () => this.#connection,
      enqueue: (job) => this.#enqueue(job),
      later: parts.later,
    });
    this.#target = parts.target;
    this.#draft = parts.target === NEW_SESSION ? keptDraft(parts.keeper.load(NEW_SESSION)) : '';
    this.#unsubscribe = parts.link.subscribe((status) => this.#onLink(status));
  }

  /** The draft that was kept for the open session. */
  get draft(): string {
    return this.#draft;
  }

  /** Keeps the draft durably. */
  keepDraft(text: string): void {
    this.#draft = text;
    this.#save();
  }

  /** Opens a past session; the chat shows it as far as it can be read, and claims it. */
  open(sessionId: string, title: string): void {
    this.#enqueue(async () => {
      await this.#release();
      this.#show(sessionId, title, 'instead');
      await this.#attach();
    });
  }

  /** Leaves the session and starts a new one with the next message. */
  startNew(): void {
    this.#enqueue(async () => {
      await this.#release();
      this.#past.reset();
      this.#update(step.sessionOpened(null));
      this.#restoreKept('instead');
    });
  }

  /** Puts a message in the outbox; it goes out as soon as the turn before it has ended. One that no turn can take is refused. */
  send(text: string): 'queued' | 'too-long' {
    const refusal = tooLong(text);
    if (refusal !== null) {
      this.#update(step.noticed(refusal, 'warn'));
      return 'too-long';
    }
    const item = queued(this.#parts.newOperationId(), text);
    this.#update((state) => ({ ...state, outbox: [...state.outbox, item], notice: null }));
    this.#draft = '';
    this.#save();
    this.#delivery.pump();
    return 'queued';
  }

  /** Asks the running turn to stop; queued messages go back to the draft. */
  stop(): void {
    const { live, outbox } = this.#state();
    if (live === null || live.stopping) return;
    this.#update(step.stopRequested);
    const waiting = outbox.filter((item) => item.state === 'queued');
    this.#update((state) => backToDraft(state, waiting));
    this.#save();
    const control = this.#control;
    if (control === null) return;
    control.cancelTurn(live.turnId).catch((error: unknown) => {
      if (failureOf(error).code !== 'unknown_turn') this.#report(error);
    });
  }

  /** Reads the list of past sessions into the state. */
  listSessions(): void {
    const connection = this.#connection;
    if (connection !== null)
      loadSessions(this.#parts.store, connection).catch((error: unknown) => this.#report(error));
  }

  /** Asks again who should answer. */
  askWho(): void {
    this.#withConnection(async (connection) => {
      const setup = await readChoices(connection);
      if (setup.length > 0) this.#update((state) => ({ ...state, setup }));
      else this.#update(step.noticed(NOBODY.text, NOBODY.tone));
    });
  }

  /** Leaves the question who should answer as it was, if somebody can. */
  keepAnswering(): void {
    this.#withConnection(async (connection) => {
      const { provider_auth_ready: ready } = await connection.request('status', {});
      if (ready) this.#update((state) => ({ ...state, setup: null }));
    });
  }

  /** Saves who answers from now on. */
  choose(choice: Choice): void {
    this.#withConnection(async (connection) => {
      const config = await choose(connection, choice);
      this.#update((state) => ({ ...state, config, setup: null, notice: null }));
      this.#delivery.pump();
    });
  }

  /** Tries the link again at once. */
  retry(): void {
    this.#parts.link.retryNow();
  }

  /** Gives up control and the link. The turn goes on without us. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#watch.stop();
    this.#save();
    await this.#release().catch(() => undefined);
    this.#parts.link.close();
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
    this.#work = this.#work.then(job).catch((error: unknown) => this.#report(error));
  }

  #withConnection(job: (connection: Connection) => Promise<void>): void {
    this.#enqueue(async () => {
      if (this.#connection !== null) await job(this.#connection);
    });
  }

  #report(error: unknown): void {
    const failure = failureOf(error);
    if (failure.code === 'link_lost') return;
    this.#update(step.noticed(`${failure.sentence} ${failure.next}`, 'warn'));
  }

  #key(): string {
    return this.#state().session?.id ?? NEW_SESSION;
  }

  #save(): void {
    const failure = this.#parts.keeper.save(this.#key(), {
      draft: this.#draft,
      outbox: this.#state().outbox,
    });
    if (failure !== null) this.#update(step.noticed(failure, 'warn'));
  }

  /** What was left of the session that is open now: its draft, and messages whose fate is not known. */
  #restoreKept(place: Returned['place']): void {
    const kept = this.#parts.keeper.load(this.#key());
    this.#draft = keptDraft(kept);
    const sent = kept.outbox.filter((item) => item.instanceId !== null);
    this.#update(step.outboxChanged(sent.map((item) => ({ ...item, state: 'uncertain' }))));
    this.#update(step.draftRestored(this.#draft, place));
  }

  #onLink(status: LinkStatus): void {
    if (status.kind === 'lost' || status.kind === 'refused') this.#lose();
    if (status.kind === 'ready') {
      this.#connection = status.connection;
      this.#enqueue(() => this.#arrive(status.connection));
    } else {
      const link = linkStateOf(status);
      this.#update((state) => ({ ...state, link }));
    }
  }

  #lose(): void {
    this.#connection = null;
    this.#control = null;
    this.#update(step.controlChanged('none'));
    this.#delivery.lose();
  }

  async #arrive(connection: Connection): Promise<void> {
    this.#update(await readService(connection));
    await this.#openTarget(connection);
    if (this.#state().session !== null) await this.#attach();
    this.#update((state) => ({ ...state, link: { kind: 'ready' } }));
    this.#delivery.pump();
  }

  /** The session that was asked for when the program started; once. */
  async #openTarget(connection: Connection): Promise<void> {
    const target = this.#target;
    this.#target = NEW_SESSION;
    if (target === NEW_SESSION) return;
    await loadSessions(this.#parts.store, connection);
    const { rows } = this.#state().sessions;
    const row = target === 'last' ? rows[0] : rows.find((entry) => entry.id === target);
    if (row !== undefined) this.#show(row.id, row.title, 'before');
    else
      this.#update(
        step.noticed(
          target === 'last' ? 'There is no session yet.' : `There is no session ${target}: F2 lists them.`,
          'warn',
        ),
      );
  }

  #show(id: string, title: string, place: Returned['place']): void {
    this.#past.reset();
    this.#update(step.sessionOpened({ id, title, control: 'none' }));
    this.#restoreKept(place);
  }

  /** Claims the session and brings history, running turn and outbox up to date. */
  async #attach(): Promise<void> {
    const connection = this.#connection;
    const { session } = this.#state();
    if (connection === null || session === null) return;
    const snapshot = await this.#claim(connection, session.id);
    await this.#delivery.settle(connection);
    await this.#catchUp(connection, session.id, snapshot);
    this.#delivery.pump();
  }

  /** Null when somebody else controls the session: it can still be read. */
  async #claim(connection: Connection, sessionId: string): Promise<Snapshot | null> {
    try {
      const control = await claimSession(connection, sessionId);
      this.#control = control;
      control.onEvent((event) => this.#onTurn(event));
      this.#update(step.controlChanged('mine'));
      return control.snapshot;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code !== 'session_controlled' && failure.code !== 'session_busy') throw failure;
      this.#update(step.controlChanged('other'));
      this.#watch.start();
      this.#update(step.noticed(`${failure.sentence} ${failure.next}`, 'info'));
      return null;
    }
  }

  async #catchUp(connection: Connection, sessionId: string, snapshot: Snapshot | null): Promise<void> {
    const shown = this.#state().live;
    const running = snapshot?.turn ?? null;
    if (shown !== null && running?.turn_id !== shown.turnId) {
      const terminal = snapshot?.terminal;
      if (terminal != null && terminal.turn_id === shown.turnId)
        this.#update(step.turnEnded(terminal, this.#context()));
      else this.#update(step.turnInterrupted(INTERRUPTED, this.#context()));
    }
    if (running !== null) this.#update(step.turnSeeded(running, this.#context()));
    await this.#past.reconcile(connection, sessionId, running === null ? 'settled' : 'running');
  }

  async #controlForSending(): Promise<ControlledSession> {
    const connection = this.#connection;
    if (connection === null) throw localFailure('link_lost');
    if (this.#state().session === null) await this.#create(connection);
    const id = this.#state().session?.id;
    if (this.#control === null && id !== undefined) {
      this.#control = await claimSession(connection, id);
      this.#control.onEvent((event) => this.#onTurn(event));
      this.#update(step.controlChanged('mine'));
    }
    if (this.#control === null) throw localFailure('link_lost');
    return this.#control;
  }

  /** A new session for the message that waits; what was kept for "no session yet" moves to it. */
  async #create(connection: Connection): Promise<void> {
    const { session_id: id } = await connection.request('session.create', {});
    const { outbox } = this.#state();
    this.#parts.keeper.save(NEW_SESSION, { draft: '', outbox: [] });
    this.#update((state) => ({
      ...step.sessionOpened({ id, title: '', control: 'none' })(state),
      historyState: 'complete',
      outbox,
    }));
    this.#save();
  }

  #onTurn(event: TurnEvent): void {
    switch (event.type) {
      case 'started':
        this.#delivery.accept(event.turnId);
        return;
      case 'delta':
        this.#update(step.deltaArrived(event.text, this.#context()));
        return;
      case 'activity':
        this.#update(step.activityArrived(event.activity, event.dropped, this.#context()));
        return;
      case 'terminal':
        this.#update(step.turnEnded(event.terminal, this.#context()));
        this.#enqueue(() => this.#afterTurn());
        return;
    }
  }

  async #afterTurn(): Promise<void> {
    const { session } = this.#state();
    if (this.#connection !== null && session !== null)
      await this.#past.reconcile(this.#connection, session.id, 'settled');
    this.#delivery.pump();
  }

  async #release(): Promise<void> {
    this.#save();
    const control = this.#control;
    this.#control = null;
    if (control !== null) await control.detach();
  }
}

function failureOf(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error;
  throw error;
}
