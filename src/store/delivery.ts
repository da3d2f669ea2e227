/**
 * Takes messages from the outbox to the service (PROTOCOL.md, "Turns", "Operations and lookup").
 * Invariants: one message is on its way at a time, in order; an uncertain one is looked up, never sent again
 * by itself; a refused one goes back to the draft with the reason.
 */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import { settleOperation } from '../client/lookup.ts';
import type { ControlledSession } from '../client/session-control.ts';
import type { UserBlock } from '../transcript/blocks.ts';
import { backToDraft, nextToSend, withItem } from './outbox.ts';
import type { AttachedFile, OutboxItem, State } from './state.ts';
import type { Store } from './store.ts';
import { noticed } from './updates.ts';

export interface DeliveryParts {
  readonly store: Store<State>;
  /** The present connection; null while the link is lost. */
  readonly connection: () => Connection | null;
  /** Control of the open session, or of a new one. @throws WireFailure */
  readonly control: () => Promise<ControlledSession>;
  /** The service has accepted a message: its turn begins. */
  readonly accepted: (turnId: string, operationId: string) => void;
  /** The service has a message whose reply was lost. */
  readonly arrived: (operationId: string) => void;
  /** Runs a job after those before it. */
  readonly enqueue: (job: () => Promise<void>) => void;
  /** Keeps the outbox durably. */
  readonly keep: () => void;
  /** A message has gone out with these files: the service has its own copies. */
  readonly taken: (files: readonly AttachedFile[]) => void;
}

const UNKNOWN_FATE = 'It is not known whether this message arrived. Enter sends it again.';
const NOT_ARRIVED = 'The message did not arrive. Enter sends it again.';

export class Delivery {
  readonly #parts: DeliveryParts;
  /** Operation ID of the message that is on its way. */
  #sending: string | null = null;
  /** Operation IDs of messages that no service knows any more. */
  readonly #forgotten = new Set<string>();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Operation ID of the message that is being sent; null for none. */
  get sending(): string | null {
    return this.#sending;
  }

  /** Sends the next message if nothing stands in the way. */
  pump(): void {
    const { store, connection, enqueue } = this.#parts;
    const { live, outbox, setup, link } = store.getState();
    const item = nextToSend(outbox);
    if (item === null || live !== null || setup !== null || link.kind !== 'ready') return;
    if (this.#sending !== null || connection() === null) return;
    this.#sending = item.operationId;
    enqueue(() => this.#deliver(item));
  }

  /** The reply and the started event may come in either order: both mean the same. */
  accept(turnId: string): void {
    const operationId = this.#sending;
    if (operationId === null) return;
    this.#sending = null;
    this.#parts.accepted(turnId, operationId);
    this.#parts.keep();
  }

  /** The link ended: what was sent without a reply is uncertain. */
  lose(): void {
    this.#sending = null;
    this.#parts.store.update((state) => ({
      ...state,
      outbox: state.outbox.map((item) => (item.state === 'sent' ? { ...item, state: 'uncertain' } : item)),
    }));
    this.#parts.keep();
  }

  /**
   * Learns from the service the fate of messages whose reply was lost.
   * @throws WireFailure link_lost
   */
  async settle(connection: Connection): Promise<void> {
    const sessionId = this.#parts.store.getState().session?.id ?? null;
    for (const item of this.#uncertain()) {
      const { instanceId, operationId } = item;
      if (instanceId === null || instanceId !== connection.service.instance_id) {
        this.#forgotten.add(operationId);
        continue;
      }
      const fate = await settleOperation(connection, {
        instanceId,
        operationId,
        method: 'turn.start',
        sessionId,
      });
      if (fate === 'unknown') this.#giveBack(item, NOT_ARRIVED);
      else if (fate === 'running' || fate.state === 'terminal') this.#parts.arrived(operationId);
      else if (fate.state === 'rejected') this.#giveBack(item, refusalOf(fate.failure));
      else this.#forgotten.add(operationId);
    }
    this.#parts.keep();
  }

  /** The history has been read: it has the messages that no service knows any more, or the user decides. */
  judge(): void {
    for (const item of this.#uncertain()) {
      if (!this.#forgotten.delete(item.operationId)) continue;
      const said = saidIn(this.#parts.store.getState());
      const place = item.behind === undefined ? item.after : placeBehind(said, item.behind);
      if (said[place]?.text === item.text) this.#drop(item);
      else this.#giveBack(item, UNKNOWN_FATE);
    }
  }

  #uncertain(): readonly OutboxItem[] {
    return this.#parts.store.getState().outbox.filter((item) => item.state === 'uncertain');
  }

  async #deliver(item: OutboxItem): Promise<void> {
    const { store, control, connection, keep } = this.#parts;
    let file: AttachedFile | null = null;
    try {
      const session = await control();
      const files: string[] = [];
      for (file of item.attachments ?? []) files.push(await session.attachFile(file.path));
      file = null;
      const instanceId = connection()?.service.instance_id ?? null;
      const said = saidIn(store.getState());
      const last = store.getState().telling === 'envelopes' ? said.at(-1) : undefined;
      const place = { after: said.length, ...(last === undefined ? {} : { behind: last.id }) };
      store.update((state) => ({
        ...state,
        outbox: withItem(state.outbox, item.operationId, { state: 'sent', instanceId, ...place }),
      }));
      keep();
      this.accept(await session.startTurn(item.text, item.operationId, files));
      this.#parts.taken(item.attachments ?? []);
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      this.#sending = null;
      if (error.uncertain || error.code === 'link_lost') return;
      this.#giveBack(item, refusalOf(error, file));
    }
  }

  #drop(item: OutboxItem): void {
    this.#parts.store.update((state) => ({
      ...state,
      outbox: state.outbox.filter((entry) => entry.operationId !== item.operationId),
    }));
    this.#parts.keep();
  }

  #giveBack(item: OutboxItem, reason: string): void {
    const { store, keep } = this.#parts;
    store.update((state) =>
      backToDraft(
        state,
        state.outbox.filter((entry) => entry.operationId === item.operationId),
      ),
    );
    store.update(noticed(reason, 'warn'));
    keep();
  }
}

/** What people said, as far as it is held. */
function saidIn({ history }: State): readonly UserBlock[] {
  return history.filter((block) => block.kind === 'user');
}

/** Outside the list when the one before is not held. */
function placeBehind(said: readonly UserBlock[], id: string): number {
  const before = said.findIndex((block) => block.id === id);
  return before < 0 ? said.length : before + 1;
}

/** @param file what was refused, when it was not the message */
function refusalOf({ sentence, next }: WireFailure, file: AttachedFile | null = null): string {
  return `Not sent. ${file === null ? '' : `${file.name}: `}${sentence} ${next}`;
}
