/**
 * Takes up the open session on a new link: control, the message on its way, the running turn, the history, in this
 * order (PROTOCOL.md, "Recovery").
 */
import { WireFailure } from '../client/failure.ts';
import type { LiveContext } from '../transcript/live-turn.ts';
import type { Snapshot } from '../wire/session.ts';
import type { Delivery } from './delivery.ts';
import type { Hold } from './hold.ts';
import type { Past } from './past.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import type { TurnControls } from './turn-controls.ts';
import { controlChanged, noticed, turnEnded, turnInterrupted, turnLeft, turnSeeded } from './updates.ts';
import type { Watch } from './watch.ts';

export interface AttachmentParts {
  readonly store: Store<State>;
  readonly hold: Hold;
  readonly delivery: Delivery;
  readonly controls: TurnControls;
  readonly watch: Watch;
  readonly past: Past;
  readonly context: () => LiveContext;
}

const INTERRUPTED = 'The service stopped in mid-turn.';

export class Attachment {
  readonly #parts: AttachmentParts;

  constructor(parts: AttachmentParts) {
    this.#parts = parts;
  }

  /** @throws WireFailure link_lost, session_unavailable and others */
  async attach(): Promise<void> {
    const { delivery, hold, past, store } = this.#parts;
    const { connection } = hold;
    const { session } = store.getState();
    if (connection === null || session === null) return;
    const snapshot = await this.#claim(session.id);
    await delivery.settle(connection);
    if (snapshot === null) store.update(turnLeft);
    else this.#catchUp(snapshot);
    await past.reconcile(connection, session.id);
    delivery.pump();
  }

  /** Null when somebody else controls the session: it can still be read. */
  async #claim(sessionId: string): Promise<Snapshot | null> {
    const { hold, store, watch } = this.#parts;
    try {
      return await hold.claim(sessionId);
    } catch (error) {
      const isHeld =
        error instanceof WireFailure && ['session_controlled', 'session_busy'].includes(error.code);
      if (!isHeld) throw error;
      store.update(controlChanged('other'));
      watch.start();
      store.update(noticed(`${error.sentence} ${error.next}`, 'info'));
      return null;
    }
  }

  /** Takes over what the service says of the turn that was shown, and of the one that runs. */
  #catchUp({ terminal, turn }: Snapshot): void {
    const { context, controls, store } = this.#parts;
    const shown = store.getState().live;
    if (shown !== null && turn?.turn_id !== shown.turnId) {
      if (terminal?.turn_id === shown.turnId) store.update(turnEnded(terminal, context()));
      else store.update(turnInterrupted(INTERRUPTED, context()));
    }
    if (turn !== null) store.update(turnSeeded(turn, context()));
    controls.resumed(turn === null ? 'none' : 'runs');
  }
}
